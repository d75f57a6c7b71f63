package io.hypersync.wire.pki;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;

/**
 * The names that certificates carry. A connection is checked against these, never against an IP.
 */
public final class CertificateNames {
  /** What the name of an authority begins with; its workspace follows. */
  static final String AUTHORITY_PREFIX = "HyperSync workspace ";

  private CertificateNames() {}

  /** The DNS name in the leader's certificate: {@code leader.<workspace, 32 hex>.hypersync}. */
  public static String leaderDnsName(WorkspaceId workspace) {
    return "leader." + workspace + ".hypersync";
  }

  /** The URI in a worker's certificate, beside the worker id as the subject's common name. */
  public static String workerUri(WorkspaceId workspace, WorkerId worker) {
    return "hypersync:worker:" + workspace + ":" + worker;
  }

  static String authorityName(WorkspaceId workspace) {
    return AUTHORITY_PREFIX + workspace;
  }
}

package io.hypersync.wire.pki;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;

/**
 * The names in certificates. Connections are verified against these names, never against IP
 * addresses.
 */
public final class CertificateNames {
  /** Prefix of an authority's common name; the workspace id follows. */
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

package io.hypersync.wire.pki;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The certificate authority of one workspace: whoever has its key decides who may join
 * (hypersync.md 18). Its directory has {@code ca.pem} and {@code ca.key}, both with mode 0600.
 * Certificates are valid for ten years, the authority for thirty.
 */
public final class WorkspaceAuthority {
  private static final String CERT_FILE = "ca.pem";
  private static final String KEY_FILE = "ca.key";

  private final WorkspaceId workspace;
  private final X509Certificate cert;
  private final PrivateKey key;
  private final InstantSource clock;

  private WorkspaceAuthority(
      WorkspaceId workspace, X509Certificate cert, PrivateKey key, InstantSource clock) {
    this.workspace = workspace;
    this.cert = cert;
    this.key = key;
    this.clock = clock;
  }

  /**
   * Creates an authority and writes it durably into a directory, which is created if it is missing.
   *
   * @throws PkiException if the directory has one already, or the files cannot be written
   */
  public static WorkspaceAuthority create(Path dir, WorkspaceId workspace) throws PkiException {
    return create(dir, workspace, InstantSource.system());
  }

  /** Like {@link #create(Path, WorkspaceId)}, with a clock for the validity dates. */
  public static WorkspaceAuthority create(Path dir, WorkspaceId workspace, InstantSource clock)
      throws PkiException {
    if (Files.exists(dir.resolve(CERT_FILE)) || Files.exists(dir.resolve(KEY_FILE))) {
      throw new PkiException(
          dir + " has an authority already; a second one would lock out every enrolled worker");
    }
    KeyPair keys = KeyPairs.generate();
    Instant now = clock.instant();
    X509Certificate cert =
        CertificateIssuer.selfSigned(CertificateNames.authorityName(workspace), keys, now);
    PemFiles.write(dir.resolve(KEY_FILE), Pem.of(keys.getPrivate()));
    PemFiles.write(dir.resolve(CERT_FILE), Pem.of(cert));
    return new WorkspaceAuthority(workspace, cert, keys.getPrivate(), clock);
  }

  /** Whether a directory has both files of an authority; they are not checked. */
  public static boolean isWhole(Path dir) {
    return Files.exists(dir.resolve(CERT_FILE)) && Files.exists(dir.resolve(KEY_FILE));
  }

  /**
   * Reads the authority that {@link #create} wrote.
   *
   * @throws PkiException if a file is missing or malformed, if they do not belong together, or if
   *     they belong to another workspace
   */
  public static WorkspaceAuthority open(Path dir, WorkspaceId workspace) throws PkiException {
    return open(dir, workspace, InstantSource.system());
  }

  /** Like {@link #open(Path, WorkspaceId)}, with a clock for the validity dates. */
  public static WorkspaceAuthority open(Path dir, WorkspaceId workspace, InstantSource clock)
      throws PkiException {
    X509Certificate cert = PemFiles.readCertificate(dir.resolve(CERT_FILE));
    PrivateKey key = PemFiles.readKey(dir.resolve(KEY_FILE));
    if (!KeyPairs.belongTogether(cert.getPublicKey(), key)) {
      throw new PkiException(dir + ": " + KEY_FILE + " is not the key of " + CERT_FILE);
    }
    String expected = CertificateNames.authorityName(workspace);
    String found = PeerCertificates.commonName(cert);
    if (!expected.equals(found)) {
      throw new PkiException(
          dir + ": the authority is \"" + found + "\", expected \"" + expected + '"');
    }
    return new WorkspaceAuthority(workspace, cert, key, clock);
  }

  /** The workspace that this authority issues certificates for. */
  public WorkspaceId workspace() {
    return workspace;
  }

  /** The authority's own certificate. */
  public X509Certificate certificate() {
    return cert;
  }

  /** Issues a new key and certificate for the leader; earlier ones stay valid. */
  public Identity issueLeader() {
    KeyPair keys = KeyPairs.generate();
    String name = CertificateNames.leaderDnsName(workspace);
    return new Identity(
        cert,
        CertificateIssuer.leader(cert, key, keys.getPublic(), name, clock.instant()),
        keys.getPrivate());
  }

  /** Issues a new key and certificate for a worker; earlier ones stay valid. */
  public Identity issueWorker(WorkerId worker) {
    KeyPair keys = KeyPairs.generate();
    String uri = CertificateNames.workerUri(workspace, worker);
    return new Identity(
        cert,
        CertificateIssuer.worker(cert, key, keys.getPublic(), worker.name(), uri, clock.instant()),
        keys.getPrivate());
  }
}

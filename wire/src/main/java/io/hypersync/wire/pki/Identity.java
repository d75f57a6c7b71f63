package io.hypersync.wire.pki;

import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/**
 * One side's certificate and key, and the authority that it trusts.
 *
 * @param caCert the authority that signed {@code cert}, and the only one trusted for the peer
 * @param cert this side's certificate
 * @param key the private key of {@code cert}
 */
public record Identity(X509Certificate caCert, X509Certificate cert, PrivateKey key) {
  private static final String CA_FILE = "ca.pem";
  private static final String CERT_FILE = "cert.pem";
  private static final String KEY_FILE = "key.pem";

  /**
   * Reads the files that {@link #write} writes.
   *
   * @throws PkiException if a file is missing, unreadable or malformed, or if they do not belong
   *     together
   */
  public static Identity read(Path dir) throws PkiException {
    Identity identity =
        new Identity(
            PemFiles.readCertificate(dir.resolve(CA_FILE)),
            PemFiles.readCertificate(dir.resolve(CERT_FILE)),
            PemFiles.readKey(dir.resolve(KEY_FILE)));
    identity.check(dir.toString());
    return identity;
  }

  /**
   * Writes {@code ca.pem}, {@code cert.pem} and {@code key.pem}, each with mode 0600 and durably,
   * into a directory, which is created if it is missing. Existing files are replaced.
   *
   * @throws PkiException if that fails
   */
  public void write(Path dir) throws PkiException {
    PemFiles.write(dir.resolve(CA_FILE), Pem.of(caCert));
    PemFiles.write(dir.resolve(CERT_FILE), Pem.of(cert));
    PemFiles.write(dir.resolve(KEY_FILE), Pem.of(key));
  }

  /** Fails unless the authority signed the certificate and the key matches it. */
  void check(String where) throws PkiException {
    if (!KeyPairs.belongTogether(cert.getPublicKey(), key)) {
      throw new PkiException(where + ": the private key does not belong to the certificate");
    }
    if (!PeerCertificates.isSignedBy(cert, caCert)) {
      throw new PkiException(where + ": the certificate was not signed by the authority beside it");
    }
  }

  /** Does not contain the key. */
  @Override
  public String toString() {
    return "Identity[" + cert.getSubjectX500Principal() + "]";
  }
}

package io.hypersync.wire.pki;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A PEM block: a certificate or key in textual encoding (RFC 7468).
 *
 * @param label the label in the BEGIN line
 * @param der the decoded bytes
 */
record Pem(String label, byte[] der) {
  static final String CERTIFICATE = "CERTIFICATE";
  static final String PRIVATE_KEY = "PRIVATE KEY";

  private static final String BEGIN = "-----BEGIN ";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";
  private static final int LINE_LENGTH = 64;

  /** All blocks of a text; anything outside of blocks is ignored. */
  static List<Pem> parse(String text, String where) throws PkiException {
    List<Pem> blocks = new ArrayList<>();
    String label = null;
    StringBuilder base64 = new StringBuilder();
    for (String line : text.lines().map(String::strip).toList()) {
      if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
        label = line.substring(BEGIN.length(), line.length() - DASHES.length());
        base64.setLength(0);
      } else if (label != null && line.startsWith(END)) {
        if (!line.equals(END + label + DASHES)) {
          throw new PkiException(where + ": a " + label + " block ends with \"" + line + "\"");
        }
        blocks.add(new Pem(label, decode(base64, label, where)));
        label = null;
      } else if (label != null) {
        base64.append(line);
      }
    }
    if (label != null) {
      throw new PkiException(where + ": the " + label + " block has no end; is the file cut off?");
    }
    return blocks;
  }

  static Pem of(X509Certificate certificate) {
    try {
      return new Pem(CERTIFICATE, certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalArgumentException("a certificate without an encoding", e);
    }
  }

  static Pem of(PrivateKey key) {
    byte[] der = key.getEncoded();
    if (der == null) {
      throw new IllegalArgumentException("a key that cannot be exported");
    }
    return new Pem(PRIVATE_KEY, der);
  }

  X509Certificate toCertificate(String where) throws PkiException {
    expect(CERTIFICATE, where);
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(der));
    } catch (CertificateException e) {
      throw new PkiException(where + ": not a valid certificate: " + e.getMessage(), e);
    }
  }

  PrivateKey toKey(String where) throws PkiException {
    expect(PRIVATE_KEY, where);
    try {
      return KeyFactory.getInstance(KeyPairs.KEY_ALGORITHM)
          .generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (GeneralSecurityException e) {
      throw new PkiException(where + ": not a valid EC private key: " + e.getMessage(), e);
    }
  }

  String toText() {
    String base64 =
        Base64.getMimeEncoder(LINE_LENGTH, "\n".getBytes(StandardCharsets.US_ASCII))
            .encodeToString(der);
    return BEGIN + label + DASHES + "\n" + base64 + "\n" + END + label + DASHES + "\n";
  }

  private void expect(String expected, String where) throws PkiException {
    if (!label.equals(expected)) {
      throw new PkiException(where + ": expected a " + expected + " block, found " + label);
    }
  }

  private static byte[] decode(StringBuilder base64, String label, String where)
      throws PkiException {
    try {
      return Base64.getDecoder().decode(base64.toString());
    } catch (IllegalArgumentException e) {
      throw new PkiException(where + ": the " + label + " block is not base64", e);
    }
  }
}

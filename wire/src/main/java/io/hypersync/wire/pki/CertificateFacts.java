package io.hypersync.wire.pki;

import java.security.cert.X509Certificate;

/**
 * What is remembered of a certificate.
 *
 * @param serial its serial number, in lower-case hexadecimal digits without leading zeros
 * @param notBeforeMs valid from, in ms since 1970
 * @param notAfterMs valid to, in ms since 1970
 */
public record CertificateFacts(String serial, long notBeforeMs, long notAfterMs) {
  private static final int HEX = 16;

  /** Those of a certificate. */
  public static CertificateFacts of(X509Certificate cert) {
    return new CertificateFacts(
        cert.getSerialNumber().toString(HEX),
        cert.getNotBefore().toInstant().toEpochMilli(),
        cert.getNotAfter().toInstant().toEpochMilli());
  }

  /**
   * When it was issued, in ms since 1970: by the clock of whoever has the authority's key, in whole
   * seconds.
   */
  public long issuedMs() {
    return notBeforeMs + CertificateIssuer.CLOCK_SKEW.toMillis();
  }
}

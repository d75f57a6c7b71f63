package io.hypersync.wire.pki;

import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;

/**
 * From when to when a certificate counts, for people. They last for ten years: one that does not
 * count now was most likely looked at, or written, by a clock that is wrong.
 */
public final class CertificateDates {
  /** In every text about dates, and in no other about certificates. */
  private static final String MARK = "by the clock of this host";

  private CertificateDates() {}

  /**
   * Refuses a certificate that does not count now.
   *
   * @param now by this host's clock
   * @throws CertificateException that says both times, and that it may be the clock
   */
  static void check(X509Certificate cert, Instant now) throws CertificateException {
    if (now.isBefore(cert.getNotBefore().toInstant())) {
      throw new CertificateNotYetValidException(
          "the certificate is not valid yet: "
              + describe(cert, now)
              + ". This clock is behind, or that of the host on which it was written was ahead");
    }
    if (now.isAfter(cert.getNotAfter().toInstant())) {
      throw new CertificateExpiredException(
          "the certificate is not valid any more: "
              + describe(cert, now)
              + ". This clock is ahead, or it has expired");
    }
  }

  /**
   * When a certificate counts, and what time it is here.
   *
   * @param now by this host's clock
   */
  public static String describe(X509Certificate cert, Instant now) {
    return "it is valid from "
        + cert.getNotBefore().toInstant()
        + " to "
        + cert.getNotAfter().toInstant()
        + ", and "
        + MARK
        + " it is "
        + Instant.ofEpochSecond(now.getEpochSecond());
  }

  /** Whether what was said of a certificate is about its dates: then a clock is to be looked at. */
  public static boolean isAboutClock(String refusal) {
    return refusal.contains(MARK);
  }
}

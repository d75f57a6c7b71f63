package io.hypersync.wire.pki;

import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;

/**
 * Checks the validity dates of certificates, with messages for users. Certificates are valid for
 * ten years, so one that is not valid now most likely means that this host's clock, or that of the
 * issuing host, was wrong.
 */
public final class CertificateDates {
  /** Part of every message about dates, and of no other message about certificates. */
  private static final String MARK = "by the clock of this host";

  private CertificateDates() {}

  /**
   * Checks that a certificate is valid now.
   *
   * @param now by this host's clock
   * @throws CertificateException if it is not; the message has its dates, the present time, and the
   *     hint that a clock may be wrong
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
   * The validity dates of a certificate and this host's time, as part of a sentence.
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

  /**
   * Whether a message about a refused certificate is about its dates, so that clocks should be
   * checked.
   */
  public static boolean isAboutClock(String refusal) {
    return refusal.contains(MARK);
  }
}

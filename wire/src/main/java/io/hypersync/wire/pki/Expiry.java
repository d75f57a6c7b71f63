package io.hypersync.wire.pki;

import java.time.Duration;
import java.time.Instant;

/**
 * When people are warned of the end of a certificate. Not thread-safe.
 *
 * <p>A warning comes at the first look that finds something, and once a day from then on.
 */
public final class Expiry {
  /** How long before the end there are warnings. */
  public static final Duration WARNING = Duration.ofDays(30);

  private static final long DAY_MS = Duration.ofDays(1).toMillis();
  private static final long SECOND_MS = 1_000;

  private long nextMs = Long.MIN_VALUE;

  /** Whether a certificate is to be warned of. */
  public static boolean isNear(CertificateFacts cert, long nowMs) {
    return cert.notAfterMs() - nowMs < WARNING.toMillis();
  }

  /**
   * Whether it is time for a warning; the next one follows a day later.
   *
   * @param found whether there is anything to warn of
   * @param nowMs ms since 1970
   */
  public boolean isDue(boolean found, long nowMs) {
    if (!found || nowMs < nextMs) {
      return false;
    }
    nextMs = nowMs + DAY_MS;
    return true;
  }

  /** Until when, as part of a sentence. */
  public static String text(CertificateFacts cert, long nowMs) {
    long days = Math.floorDiv(cert.notAfterMs() - nowMs, DAY_MS);
    Instant end = Instant.ofEpochSecond(cert.notAfterMs() / SECOND_MS);
    return cert.notAfterMs() <= nowMs
        ? "has ended at " + end
        : "ends at " + end + ", in " + days + (days == 1 ? " day" : " days");
  }
}

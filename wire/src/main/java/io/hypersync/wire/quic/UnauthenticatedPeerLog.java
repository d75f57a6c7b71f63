package io.hypersync.wire.quic;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Limits log warnings that any peer at the port can cause: so many a minute are logged, the others
 * are counted, and the next one logged has the count. Not thread-safe.
 */
final class UnauthenticatedPeerLog {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

  private final Logger log;
  private final int perMinute;
  private final LongSupplier clockNs;
  private long minuteBeganNs;
  private int written;
  private long leftOut;

  /**
   * Makes a log without warnings yet.
   *
   * @param perMinute how many lines are logged in a minute
   * @param clockNs {@link System#nanoTime}, or a test's clock
   */
  UnauthenticatedPeerLog(Logger log, int perMinute, LongSupplier clockNs) {
    this.log = log;
    this.perMinute = perMinute;
    this.clockNs = clockNs;
    this.minuteBeganNs = clockNs.getAsLong();
  }

  /** Logs a warning, or counts it and logs it at debug level. */
  void warn(String peer, String what) {
    long nowNs = clockNs.getAsLong();
    if (nowNs - minuteBeganNs >= MINUTE_NS) {
      minuteBeganNs = nowNs;
      written = 0;
    }
    if (written == perMinute) {
      leftOut++;
      log.debug("{}: {}", peer, what);
      return;
    }
    written++;
    if (leftOut == 0) {
      log.warn("{}: {}", peer, what);
    } else {
      log.warn("{}: {} ({} more like it were not written)", peer, what, leftOut);
      leftOut = 0;
    }
  }
}

package io.hypersync.wire.quic;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Warnings of one kind that anybody can cause who reaches the port: so many a minute are written,
 * the others are counted, and the next one that is written says how many they were. Used by one
 * thread.
 */
final class StrangerLog {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

  private final Logger log;
  private final int perMinute;
  private final LongSupplier clockNs;
  private long minuteBeganNs;
  private int written;
  private long leftOut;

  /**
   * Nothing is written yet.
   *
   * @param perMinute how many lines are written in a minute
   * @param clockNs {@link System#nanoTime}, or a test's
   */
  StrangerLog(Logger log, int perMinute, LongSupplier clockNs) {
    this.log = log;
    this.perMinute = perMinute;
    this.clockNs = clockNs;
    this.minuteBeganNs = clockNs.getAsLong();
  }

  /** Writes a warning, or counts it; then it is a line for who looks at everything. */
  void warn(String stranger, String what) {
    long nowNs = clockNs.getAsLong();
    if (nowNs - minuteBeganNs >= MINUTE_NS) {
      minuteBeganNs = nowNs;
      written = 0;
    }
    if (written == perMinute) {
      leftOut++;
      log.debug("{}: {}", stranger, what);
      return;
    }
    written++;
    if (leftOut == 0) {
      log.warn("{}: {}", stranger, what);
    } else {
      log.warn("{}: {} ({} more like it were not written)", stranger, what, leftOut);
      leftOut = 0;
    }
  }
}

package io.hypersync.runtime.agent;

/** Time as a port, so that the simulator can control it. */
public interface Clock {
  /** The clocks of the JVM. */
  Clock SYSTEM = new SystemClock();

  /** Monotonic nanoseconds from an arbitrary origin; for durations and deadlines. */
  long monotonicNs();

  /** Nanoseconds since 1970; may jump. For timestamps only. */
  long epochNs();

  /** A time so long after another; {@code Long.MAX_VALUE} if that is too far away to be told. */
  static long later(long nowNs, long durationNs) {
    long then = nowNs + durationNs;
    return then < nowNs ? Long.MAX_VALUE : then;
  }
}

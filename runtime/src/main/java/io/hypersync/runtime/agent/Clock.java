package io.hypersync.runtime.agent;

/** Time as a port, so that the simulator can control it. */
public interface Clock {
  /** The clocks of the machine. Nothing else names their class, so nobody initializes it first. */
  @SuppressWarnings("ClassInitializationDeadlock")
  Clock SYSTEM = new SystemClock();

  /**
   * Nanoseconds from an arbitrary origin, which never go back and go on while the machine is
   * suspended: for durations and deadlines. A host that wakes up sees that its leases are over.
   */
  long monotonicNs();

  /** For how long the machine has been suspended so far, in nanoseconds, right to milliseconds. */
  default long suspendedNs() {
    return 0;
  }

  /**
   * Nanoseconds from an arbitrary origin for which the calling thread has had a processor. Where
   * time is simulated, all of it counts.
   */
  default long processorNs() {
    return monotonicNs();
  }

  /** Nanoseconds since 1970; may jump. For timestamps only. */
  long epochNs();

  /** A time so long after another; {@code Long.MAX_VALUE} if that is too far away to be told. */
  static long later(long nowNs, long durationNs) {
    long then = nowNs + durationNs;
    return then < nowNs ? Long.MAX_VALUE : then;
  }
}

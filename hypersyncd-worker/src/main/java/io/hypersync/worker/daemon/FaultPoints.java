package io.hypersync.worker.daemon;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Places where tests make a worker slow. Off unless the environment says otherwise.
 *
 * @param notifierDelayUs {@code HYPERSYNC_FAULT_NOTIFIER_DELAY_US}: the kernel is told what to
 *     forget so many microseconds late, at most
 */
record FaultPoints(long notifierDelayUs) {
  /** As the environment says. */
  static FaultPoints configured() {
    String delay = System.getenv("HYPERSYNC_FAULT_NOTIFIER_DELAY_US");
    return new FaultPoints(delay == null ? 0 : Long.parseLong(delay));
  }

  /** Waits, on the notifier's thread. */
  void slowNotifier() {
    if (notifierDelayUs > 0) {
      long us = ThreadLocalRandom.current().nextLong(notifierDelayUs + 1);
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(us));
    }
  }
}

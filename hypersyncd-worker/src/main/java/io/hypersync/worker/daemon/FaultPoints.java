package io.hypersync.worker.daemon;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Places where tests make a worker slow. Off unless the system property says otherwise.
 *
 * @param notifierDelayUs {@code hypersync.faults.notifier_delay_us}: the kernel is told what to
 *     forget so many microseconds late, at most
 */
record FaultPoints(long notifierDelayUs) {
  /** As the system properties say. */
  static FaultPoints configured() {
    return new FaultPoints(Long.getLong("hypersync.faults.notifier_delay_us", 0));
  }

  /** Waits, on the notifier's thread. */
  void slowNotifier() {
    if (notifierDelayUs > 0) {
      long us = ThreadLocalRandom.current().nextLong(notifierDelayUs + 1);
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(us));
    }
  }
}

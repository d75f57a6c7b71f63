package io.hypersync.leader.oplog.chronicle;

import io.hypersync.runtime.agent.Clock;
import java.util.concurrent.locks.LockSupport;

/** The clock of a log, which tests replace. */
interface LogClock {
  /** The system's monotonic clock. */
  LogClock SYSTEM =
      new LogClock() {
        @Override
        public long nanoTime() {
          return Clock.SYSTEM.monotonicNs();
        }

        @Override
        public void park(Object blocker, long nanos) {
          LockSupport.parkNanos(blocker, nanos);
        }
      };

  /** Nanoseconds since an arbitrary moment. */
  long nanoTime();

  /**
   * Waits for {@code nanos}, or until {@link LockSupport#unpark}; may return spuriously.
   *
   * @param nanos at least 1
   */
  void park(Object blocker, long nanos);
}

package io.hypersync.leader.oplog.chronicle;

import java.util.concurrent.locks.LockSupport;

/** The time that a log lives in; a seam for tests. */
interface LogClock {
  /** That of the machine. */
  LogClock SYSTEM =
      new LogClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void park(Object blocker, long nanos) {
          LockSupport.parkNanos(blocker, nanos);
        }
      };

  /** Nanoseconds since some moment. */
  long nanoTime();

  /**
   * Waits so long, or until {@link LockSupport#unpark}, or for no reason at all.
   *
   * @param nanos at least 1
   */
  void park(Object blocker, long nanos);
}

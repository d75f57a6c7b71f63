package io.hypersync.cli.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is done beside a daemon's work and allocates: answering scrapes, above all. It does not
 * count as work, or a daemon that is watched every few seconds would never be idle. Thread-safe.
 */
public final class BesideWork {
  private static final AtomicLong ALLOCATED = new AtomicLong();

  private BesideWork() {}

  /** The same task, whose allocations are no work; to be run on a platform thread. */
  public static Runnable counted(Runnable task) {
    return () -> {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      try {
        task.run();
      } finally {
        ALLOCATED.addAndGet(threads.getCurrentThreadAllocatedBytes() - before);
      }
    };
  }

  /** How many bytes such tasks have allocated, as far as they have ended. */
  static long allocatedBytes() {
    return ALLOCATED.get();
  }
}

package io.hypersync.worker.vfs;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Some of the numbers that a fake kernel has received lately, for use in later requests.
 * Thread-safe.
 */
final class KernelMemory {
  private static final int SLOTS = 64;

  private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

  /** Remembers a number. */
  void seen(long number) {
    slots.set((int) Long.remainderUnsigned(number >>> 1, SLOTS), number);
  }

  /** One of the numbers received lately; 0 if there are few. */
  long any(Random random) {
    return slots.get(random.nextInt(SLOTS));
  }
}

package io.hypersync.worker.fuse.dev;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native buffers for sending, in two sizes: large for READ and READDIR replies, small for all
 * others. Never blocks: an empty pool allocates, a full one drops what is given back.
 */
final class NativeBufferPool {
  private static final int SMALL_BYTES = 8 << 10;
  private static final int LARGE_BYTES = (1 << 20) + SMALL_BYTES;
  private static final int SMALL_KEPT = 64;
  private static final int LARGE_KEPT = 16;

  private final ArrayBlockingQueue<NativeBuffer> small = new ArrayBlockingQueue<>(SMALL_KEPT);
  private final ArrayBlockingQueue<NativeBuffer> large = new ArrayBlockingQueue<>(LARGE_KEPT);

  /** Takes a buffer of at least this many bytes. */
  NativeBuffer take(long bytes) {
    if (bytes > LARGE_BYTES) {
      return new NativeBuffer(Math.toIntExact(bytes));
    }
    boolean fitsSmall = bytes <= SMALL_BYTES;
    NativeBuffer kept = (fitsSmall ? small : large).poll();
    return kept != null ? kept : new NativeBuffer(fitsSmall ? SMALL_BYTES : LARGE_BYTES);
  }

  /** Gives a buffer back to the pool, or drops it. */
  void give(NativeBuffer buffer) {
    if (buffer.capacity() == SMALL_BYTES) {
      var _ = small.offer(buffer);
    } else if (buffer.capacity() == LARGE_BYTES) {
      var _ = large.offer(buffer);
    }
  }
}

package io.hypersync.worker.fuse.dev;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native buffers for sending, in two sizes: small for all but READ and READDIR replies, large for
 * those. Never blocks: an empty pool allocates, a full one lets go.
 */
final class NativeBufferPool {
  private static final int SMALL_BYTES = 8 << 10;
  private static final int LARGE_BYTES = (1 << 20) + SMALL_BYTES;
  private static final int SMALL_KEPT = 64;
  private static final int LARGE_KEPT = 16;

  private final ArrayBlockingQueue<NativeBuffer> small = new ArrayBlockingQueue<>(SMALL_KEPT);
  private final ArrayBlockingQueue<NativeBuffer> large = new ArrayBlockingQueue<>(LARGE_KEPT);

  /** A buffer of at least {@code bytes}. */
  NativeBuffer take(long bytes) {
    if (bytes > LARGE_BYTES) {
      return new NativeBuffer(Math.toIntExact(bytes));
    }
    boolean fitsSmall = bytes <= SMALL_BYTES;
    NativeBuffer kept = (fitsSmall ? small : large).poll();
    return kept != null ? kept : new NativeBuffer(fitsSmall ? SMALL_BYTES : LARGE_BYTES);
  }

  /** Gives a buffer back. */
  void give(NativeBuffer buffer) {
    if (buffer.capacity() == SMALL_BYTES) {
      var _ = small.offer(buffer);
    } else if (buffer.capacity() == LARGE_BYTES) {
      var _ = large.offer(buffer);
    }
  }
}

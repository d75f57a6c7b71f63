package io.hypersync.runtime.memory;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;

/** How much heap the marks of a collection take, and how much they may take. */
public final class HeapRoom {
  /** {@code KeptChunks}; half of it again while it grows. */
  private static final long BYTES_PER_MARK = 32;

  private static final long MIB = 1L << 20;

  private HeapRoom() {}

  /**
   * How much of the heap the marks of a collection may take now, in bytes.
   *
   * @param stateBytes to what weight the state may grow while the collection runs
   */
  public static long mostForMarks(long stateBytes) {
    return mostForMarks(Runtime.getRuntime().maxMemory(), stateBytes, survivingBytes());
  }

  /**
   * The same for any heap: a quarter, or less if that is not left. Not what is free at this moment
   * is asked: most of what is in use may be garbage, of which the JVM gets rid when it needs room.
   * An eighth stays free for everything else, the pages that a collection has read among it.
   *
   * @param survivingBytes what was in use after the JVM has last collected garbage
   */
  static long mostForMarks(long heapBytes, long stateBytes, long survivingBytes) {
    long left = heapBytes - Math.max(stateBytes, survivingBytes) - heapBytes / 8;
    return Math.clamp(left, 0, heapBytes / 4);
  }

  /**
   * Why a collection of a store must not begin now, in words; empty if it may.
   *
   * @param daemon which daemon is to be started with a larger heap, such as "the leader"
   * @param chunks how many chunks the store has
   * @param room how much heap its marks may take, in bytes
   */
  public static String whyNoCollection(String daemon, long chunks, long room) {
    long bytes = BYTES_PER_MARK * chunks;
    return bytes <= room
        ? ""
        : "it may take "
            + mebibytes(bytes)
            + " of heap to mark what is alive, and "
            + mebibytes(room)
            + " can be spared: start "
            + daemon
            + " with a larger heap, such as HYPERSYNC_JAVA_OPTS=-Xmx"
            + 2 * Runtime.getRuntime().maxMemory() / MIB
            + "m";
  }

  /** A part of a mebibyte counts as one. */
  private static String mebibytes(long bytes) {
    return Math.ceilDiv(bytes, MIB) + " MiB";
  }

  /**
   * What was in use after the garbage of each part of the heap was last collected; garbage that has
   * come since does not count, nor what is new. The old generation is collected last of all, so
   * this may be far too low, but it is not too high.
   */
  private static long survivingBytes() {
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage after = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
      bytes += after == null ? 0 : after.getUsed();
    }
    return bytes;
  }
}

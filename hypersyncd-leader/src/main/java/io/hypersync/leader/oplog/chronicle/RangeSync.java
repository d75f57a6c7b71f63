package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Makes a range of a mapped segment file durable; a seam for the fault tests. */
@FunctionalInterface
interface RangeSync {
  /** {@code msync(MS_SYNC)} over the range. */
  RangeSync MSYNC =
      (file, mapping, offset, length) -> {
        try {
          mapping.asSlice(offset, length).force();
        } catch (UncheckedIOException e) {
          throw e.getCause();
        }
      };

  /**
   * Returns when the bytes are on stable storage.
   *
   * @param file the mapped file
   * @param mapping the mapping, from position 0
   * @param offset start of the range, at a page boundary
   * @param length length of the range in bytes
   */
  void force(Path file, MemorySegment mapping, long offset, long length) throws IOException;
}

package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;

/** File operations whose effect must reach stable storage, or whose I/O pattern matters. */
final class SyncedFileOps {
  private static final int SYNC_EVERY_BYTES = 1 << 20;

  private SyncedFileOps() {}

  /**
   * Creates a file of zeros whose blocks are allocated and written, so that overwriting them can
   * neither run out of space nor wait for an allocation, and appends a hole.
   *
   * <p>The zeros are written page by page on purpose. The kernel sizes page-cache folios by the
   * size of the write. When records were stored to a mapping, a sync wrote back whole folios: 1 MiB
   * for one record, in 350 us. The durable writes that are used now write back only the pages they
   * touch, but still take 0 to 20 us longer with large folios. The sync after every mebibyte keeps
   * this background work from filling the device's queue ahead of the log's own writes.
   *
   * @param abandon polled now and then; true to give up
   * @throws IOException if there is no space, or it was abandoned; the caller deletes the file
   */
  static void createZeroed(Path file, long bytes, long holeBytes, BooleanSupplier abandon)
      throws IOException {
    try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw");
        FileChannel channel = raw.getChannel()) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(SegmentLayout.PAGE_BYTES);
      for (long position = 0; position < bytes; position += SegmentLayout.PAGE_BYTES) {
        zeros.clear();
        while (zeros.hasRemaining()) {
          channel.write(zeros, position + zeros.position());
        }
        if (position % SYNC_EVERY_BYTES == 0) {
          channel.force(false);
          if (abandon.getAsBoolean()) {
            throw new IOException("abandoned " + file);
          }
        }
      }
      raw.setLength(bytes + holeBytes);
      channel.force(true);
    }
  }

  /** Truncates a file to at most that size; not synced. */
  static void shrink(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }
}

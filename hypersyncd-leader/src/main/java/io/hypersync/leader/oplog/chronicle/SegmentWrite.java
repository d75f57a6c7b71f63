package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Writes to a segment file, durably; a seam for the fault tests. */
@FunctionalInterface
interface SegmentWrite {
  /** A write to a file that is open with {@code O_DSYNC}, and so waits for the disk by itself. */
  SegmentWrite DSYNC =
      (_, channel, bytes, offset) -> {
        int start = bytes.position();
        while (bytes.hasRemaining()) {
          var _ = channel.write(bytes, offset + bytes.position() - start);
        }
      };

  /**
   * Returns when the bytes are on stable storage.
   *
   * @param file of the segment
   * @param channel the file, open for durable writes
   * @param bytes all from the position to the limit
   * @param offset where they begin in the file
   * @throws IOException if they may not be; no write to this file may follow
   */
  void write(Path file, FileChannel channel, ByteBuffer bytes, long offset) throws IOException;
}

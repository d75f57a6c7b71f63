package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Durable writes to a segment file; fault tests replace it. */
@FunctionalInterface
interface SegmentWrite {
  /** Writes to a file that is open with {@code O_DSYNC}, so that each write waits for the disk. */
  SegmentWrite DSYNC =
      (_, channel, bytes, offset) -> {
        int start = bytes.position();
        while (bytes.hasRemaining()) {
          var _ = channel.write(bytes, offset + bytes.position() - start);
        }
      };

  /**
   * Writes bytes; returns when they are on stable storage.
   *
   * @param file of the segment
   * @param channel the file, open for durable writes
   * @param bytes everything from position to limit
   * @param offset where they begin in the file
   * @throws IOException if that is uncertain; no write to this file may follow
   */
  void write(Path file, FileChannel channel, ByteBuffer bytes, long offset) throws IOException;
}

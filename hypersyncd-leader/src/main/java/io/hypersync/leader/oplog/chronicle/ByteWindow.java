package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A sliding window of a file, read with {@code pread}: unlike a mapping, it cannot fault.
 * Single-threaded.
 */
final class ByteWindow {
  private final LogFiles.Bytes file;
  private final long size;
  private byte[] bytes;
  private long start;
  private int filled;

  ByteWindow(LogFiles.Bytes file, int windowBytes) throws IOException {
    this.file = file;
    this.size = file.size();
    this.bytes = new byte[(int) Math.min(windowBytes, size)];
  }

  /** The file's size when the window was created. */
  long size() {
    return size;
  }

  /** The bytes of the window; valid until the next {@link #locate}. */
  byte[] bytes() {
    return bytes;
  }

  /** How many bytes of {@link #bytes()} are valid from that offset on. */
  int validFrom(int offset) {
    return filled - offset;
  }

  /**
   * The offset in {@link #bytes()} of a file position, with at least {@code length} valid bytes
   * behind it; -1 if the file ends before.
   */
  int locate(long position, int length) throws IOException {
    if (position + length > size) {
      return -1;
    }
    if (position < start || position + length > start + filled) {
      refill(position, length);
      if (length > filled) {
        return -1;
      }
    }
    return (int) (position - start);
  }

  private void refill(long position, int length) throws IOException {
    if (length > bytes.length) {
      bytes = new byte[length];
    }
    ByteBuffer target = ByteBuffer.wrap(bytes);
    start = position;
    filled = 0;
    while (target.hasRemaining()) {
      int read = file.read(target, position + target.position());
      if (read < 0) {
        break;
      }
    }
    filled = target.position();
  }
}

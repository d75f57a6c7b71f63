package io.hypersync.worker.fuse.protocol;

import java.nio.ByteBuffer;

/** The bytes after a request's header, read by offset. Reading beyond them throws. */
final class MessageBody {
  private final ByteBuffer bytes;

  /** Wraps a buffer in the kernel's byte order whose content is from 0 to its limit. */
  MessageBody(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  int size() {
    return bytes.limit();
  }

  int int32(int offset) throws MalformedMessageException {
    require(offset, Integer.BYTES);
    return bytes.getInt(offset);
  }

  long int64(int offset) throws MalformedMessageException {
    require(offset, Long.BYTES);
    return bytes.getLong(offset);
  }

  /** A size field; throws if it is too large for an array. */
  int length(int offset) throws MalformedMessageException {
    int length = int32(offset);
    if (length < 0) {
      throw new MalformedMessageException("size " + Integer.toUnsignedString(length));
    }
    return length;
  }

  byte[] bytes(int offset, int length) throws MalformedMessageException {
    require(offset, length);
    byte[] copy = new byte[length];
    bytes.get(offset, copy);
    return copy;
  }

  /** A copy of the bytes up to the next NUL; throws if there is none or the name is empty. */
  byte[] name(int offset) throws MalformedMessageException {
    for (int end = offset; end < bytes.limit(); end++) {
      if (bytes.get(end) == 0) {
        if (end == offset) {
          throw new MalformedMessageException("empty name at " + offset);
        }
        return bytes(offset, end - offset);
      }
    }
    throw new MalformedMessageException("no NUL after offset " + offset + " of " + size());
  }

  /** Throws if the body has fewer than {@code minimum} bytes. */
  void requireSize(int minimum) throws MalformedMessageException {
    require(0, minimum);
  }

  private void require(int offset, long length) throws MalformedMessageException {
    if (length > (long) bytes.limit() - offset) {
      throw new MalformedMessageException(
          length + " bytes at " + offset + " of a body of " + size() + " bytes");
    }
  }
}

package io.hypersync.wire.quic;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived on one stream and was not decoded yet. On a busy stream that is never nothing: a
 * piece always ends within a frame. So the room of what was decoded is used again, before the
 * buffer grows: it needs room for one frame and one piece, however much passes through it.
 */
final class FrameBuffer {
  private @Nullable ByteBuf bytes;

  /** Takes a piece, and with it its buffer. */
  void add(ByteBuf piece) {
    ByteBuf kept = bytes;
    if (kept == null) {
      bytes = piece;
      return;
    }
    if (!kept.isReadable()) {
      kept.release();
      bytes = piece;
      return;
    }
    try {
      if (kept.writableBytes() < piece.readableBytes()) {
        kept.discardReadBytes();
      }
      kept.writeBytes(piece);
    } finally {
      piece.release();
    }
  }

  /** All that is here, to be decoded from its reader index on; null if there is nothing. */
  @Nullable ByteBuf bytes() {
    return bytes;
  }

  /** How many bytes of memory are held. */
  int capacity() {
    return bytes == null ? 0 : bytes.capacity();
  }

  /** Gives the memory back if all was decoded. */
  void discardIfDecoded() {
    if (bytes != null && !bytes.isReadable()) {
      discard();
    }
  }

  /** Gives the memory back, whatever is in it. */
  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}

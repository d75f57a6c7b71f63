package io.hypersync.wire.quic;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that have arrived on one stream and are not decoded yet. On a busy stream some are always
 * left, since a piece from the network rarely ends with a frame. So the space of decoded bytes is
 * reused before the buffer grows: however much passes through, it needs room for one frame and one
 * piece only.
 */
final class FrameBuffer {
  private @Nullable ByteBuf bytes;

  /** Appends a piece and takes over its ownership. */
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

  /**
   * The bytes that are not decoded, from the reader index on, to be consumed by the decoder; null
   * if there is no buffer.
   */
  @Nullable ByteBuf bytes() {
    return bytes;
  }

  /** How many bytes of memory are in use. */
  int capacity() {
    return bytes == null ? 0 : bytes.capacity();
  }

  /** Frees the memory if everything was decoded. */
  void discardIfDecoded() {
    if (bytes != null && !bytes.isReadable()) {
      discard();
    }
  }

  /** Frees the memory and whatever is in it. */
  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}

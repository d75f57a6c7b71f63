package io.hypersync.wire.codec;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes frames. A stream is one byte for its kind, then frames (hypersync.md 9.5).
 *
 * <pre>
 *  0               4      5
 * +---------------+------+------------------------+
 * | length u32 BE | kind | body                   |
 * +---------------+------+------------------------+
 *                  &lt;---------- length ----------->
 * </pre>
 *
 * <p>The length counts the kind and the body. A frame has at most {@link Protocol#MAX_FRAME_BYTES}
 * with its header; most kinds have a lower limit. The body is a message of {@code hypersync.proto},
 * except for the two kinds that carry chunks; see {@link ChunkFrames}.
 *
 * <p>Decoding is total: any bytes give a message, {@code null} for "more bytes are needed", or a
 * {@link ProtocolException}. Memory is allocated in proportion to the bytes that have arrived, and
 * a length out of range is refused as soon as its four bytes are there.
 */
public final class FrameCodec {
  /** Length and kind. */
  static final int HEADER_BYTES = 5;

  private static final int LENGTH_BYTES = 4;

  private FrameCodec() {}

  /**
   * Appends a frame.
   *
   * @throws IllegalArgumentException if the message is longer than its kind allows; {@code out} is
   *     then unchanged
   */
  public static void encode(WorkerMessage message, ByteBuf out) {
    FrameKind kind = FrameKind.of(message);
    if (message instanceof WorkerMessage.ChunkPut put) {
      header(kind, ChunkFrames.bodyBytes(put), out);
      ChunkFrames.write(put, out);
    } else if (message instanceof WorkerMessage.ChunkCopy copy) {
      header(kind, ChunkFrames.bodyBytes(copy), out);
      ChunkFrames.write(copy, out);
    } else {
      proto(kind, WorkerMessages.toProto(message), out);
    }
  }

  /**
   * Appends a frame.
   *
   * @throws IllegalArgumentException if the message is longer than its kind allows; {@code out} is
   *     then unchanged
   */
  public static void encode(LeaderMessage message, ByteBuf out) {
    FrameKind kind = FrameKind.of(message);
    if (message instanceof LeaderMessage.ChunkData data) {
      header(kind, ChunkFrames.bodyBytes(data), out);
      ChunkFrames.write(data, out);
    } else {
      proto(kind, LeaderMessages.toProto(message), out);
    }
  }

  /**
   * Reads one frame from {@code in}.
   *
   * @param stream the stream that the bytes came from
   * @return null if the frame is not complete yet; then nothing was consumed
   * @throws ProtocolException if this is no valid frame from a worker on that stream
   */
  public static @Nullable WorkerMessage decodeWorkerMessage(StreamKind stream, ByteBuf in)
      throws ProtocolException {
    FrameKind kind = completeFrame(stream, false, in);
    if (kind == null) {
      return null;
    }
    ByteBuf body = takeBody(in);
    return switch (kind) {
      case CHUNK_PUT -> ChunkFrames.readPut(body);
      case CHUNK_COPY -> ChunkFrames.readCopy(body);
      default -> WorkerMessages.fromProto(kind, body.nioBuffer());
    };
  }

  /**
   * Reads one frame from {@code in}.
   *
   * @param stream the stream that the bytes came from
   * @return null if the frame is not complete yet; then nothing was consumed
   * @throws ProtocolException if this is no valid frame from the leader on that stream
   */
  public static @Nullable LeaderMessage decodeLeaderMessage(StreamKind stream, ByteBuf in)
      throws ProtocolException {
    FrameKind kind = completeFrame(stream, true, in);
    if (kind == null) {
      return null;
    }
    ByteBuf body = takeBody(in);
    return kind == FrameKind.CHUNK_DATA
        ? ChunkFrames.readData(body)
        : LeaderMessages.fromProto(kind, body.nioBuffer());
  }

  private static @Nullable FrameKind completeFrame(
      StreamKind stream, boolean fromLeader, ByteBuf in) throws ProtocolException {
    if (in.readableBytes() < LENGTH_BYTES) {
      return null;
    }
    int length = in.getInt(in.readerIndex());
    if (length < 1 || length > Protocol.MAX_FRAME_BYTES - LENGTH_BYTES) {
      throw new ProtocolException(
          "a frame of "
              + Integer.toUnsignedString(length)
              + " bytes on the "
              + stream
              + " stream, 1 to "
              + (Protocol.MAX_FRAME_BYTES - LENGTH_BYTES)
              + " allowed");
    }
    if (in.readableBytes() < HEADER_BYTES) {
      return null;
    }
    int code = in.getUnsignedByte(in.readerIndex() + LENGTH_BYTES);
    FrameKind kind = FrameKind.ofCode(code);
    if (kind == null) {
      throw new ProtocolException(
          String.format("a frame of unknown kind 0x%02x on the %s stream", code, stream));
    }
    if (kind.fromLeader() != fromLeader || kind.stream() != stream) {
      throw new ProtocolException(
          String.format(
              "a %s from %s on the %s stream",
              kind, fromLeader ? "the leader" : "a worker", stream));
    }
    if (length - 1 > kind.maxBodyBytes()) {
      throw new ProtocolException(
          "a " + kind + " of " + (length - 1) + " bytes, at most " + kind.maxBodyBytes());
    }
    return in.readableBytes() < LENGTH_BYTES + length ? null : kind;
  }

  /** The body of the complete frame at the reader index, which moves past it. */
  private static ByteBuf takeBody(ByteBuf in) {
    int length = in.readInt();
    in.skipBytes(1);
    return in.readSlice(length - 1);
  }

  private static void proto(FrameKind kind, MessageLite message, ByteBuf out) {
    int size = message.getSerializedSize();
    header(kind, size, out);
    CodedOutputStream target =
        CodedOutputStream.newInstance(out.nioBuffer(out.writerIndex(), size));
    try {
      message.writeTo(target);
      target.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer of the computed size did not do", e);
    }
    out.writerIndex(out.writerIndex() + size);
  }

  private static void header(FrameKind kind, int bodyBytes, ByteBuf out) {
    if (bodyBytes > kind.maxBodyBytes()) {
      throw new IllegalArgumentException(
          "a " + kind + " of " + bodyBytes + " bytes, at most " + kind.maxBodyBytes());
    }
    out.ensureWritable(HEADER_BYTES + bodyBytes);
    out.writeInt(bodyBytes + 1);
    out.writeByte(kind.code());
  }
}

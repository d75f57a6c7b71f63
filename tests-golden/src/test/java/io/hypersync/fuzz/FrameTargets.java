package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.hypersync.wire.codec.FrameCodec;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Frames on a QUIC stream: the stream's first byte, and a frame. Protobuf has several encodings of
 * one message, so the invariant is: decoding and encoding again gives stable bytes.
 */
final class FrameTargets {
  private FrameTargets() {}

  /** Decoder and encoder of one direction. */
  private record Direction<T>(
      Reader<T> reader, BiConsumer<T, ByteBuf> writer, Function<T, StreamKind> stream) {}

  @FunctionalInterface
  private interface Reader<T> {
    @Nullable T read(StreamKind stream, ByteBuf frame) throws ProtocolException;
  }

  private static final Direction<WorkerMessage> FROM_WORKER =
      new Direction<>(FrameCodec::decodeWorkerMessage, FrameCodec::encode, StreamKind::of);
  private static final Direction<LeaderMessage> FROM_LEADER =
      new Direction<>(FrameCodec::decodeLeaderMessage, FrameCodec::encode, StreamKind::of);

  static List<FuzzTarget> all() {
    return List.of(
        FuzzTarget.of(
            "worker-frame",
            ProtocolException.class,
            List.of(),
            input -> isSame(FROM_WORKER, input)),
        FuzzTarget.of(
            "leader-frame",
            ProtocolException.class,
            List.of(),
            input -> isSame(FROM_LEADER, input)));
  }

  private static <T> boolean isSame(Direction<T> direction, byte[] input) throws ProtocolException {
    StreamKind stream = stream(input);
    T message = stream == null ? null : direction.reader.read(stream, frame(input));
    if (message == null) {
      return false;
    }
    assertEquals(stream, direction.stream.apply(message));
    ByteBuf once = Unpooled.buffer();
    direction.writer.accept(message, once);
    T read = direction.reader.read(direction.stream.apply(message), once.duplicate());
    assertNotNull(read);
    ByteBuf twice = Unpooled.buffer();
    direction.writer.accept(read, twice);
    assertEquals(once, twice);
    return true;
  }

  private static @Nullable StreamKind stream(byte[] input) {
    return input.length == 0 ? null : StreamKind.ofCode(input[0] & 0xff);
  }

  private static ByteBuf frame(byte[] input) {
    return Unpooled.wrappedBuffer(Arrays.copyOfRange(input, 1, input.length));
  }
}

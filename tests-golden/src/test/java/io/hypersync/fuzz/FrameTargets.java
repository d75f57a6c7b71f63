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
import org.jspecify.annotations.Nullable;

/**
 * What comes on a QUIC stream: its first byte, and a frame. Protobuf has several forms of one
 * message, so what must not change is what is written of what was read.
 */
final class FrameTargets {
  private FrameTargets() {}

  static List<FuzzTarget> all() {
    return List.of(
        FuzzTarget.of("worker-frame", ProtocolException.class, List.of(), FrameTargets::fromWorker),
        FuzzTarget.of(
            "leader-frame", ProtocolException.class, List.of(), FrameTargets::fromLeader));
  }

  private static boolean fromWorker(byte[] input) throws ProtocolException {
    StreamKind stream = stream(input);
    WorkerMessage message =
        stream == null ? null : FrameCodec.decodeWorkerMessage(stream, frame(input));
    if (message == null) {
      return false;
    }
    assertEquals(stream, StreamKind.of(message));
    ByteBuf once = Unpooled.buffer();
    FrameCodec.encode(message, once);
    WorkerMessage read = FrameCodec.decodeWorkerMessage(StreamKind.of(message), once.duplicate());
    assertNotNull(read);
    ByteBuf twice = Unpooled.buffer();
    FrameCodec.encode(read, twice);
    assertEquals(once, twice);
    return true;
  }

  private static boolean fromLeader(byte[] input) throws ProtocolException {
    StreamKind stream = stream(input);
    LeaderMessage message =
        stream == null ? null : FrameCodec.decodeLeaderMessage(stream, frame(input));
    if (message == null) {
      return false;
    }
    assertEquals(stream, StreamKind.of(message));
    ByteBuf once = Unpooled.buffer();
    FrameCodec.encode(message, once);
    LeaderMessage read = FrameCodec.decodeLeaderMessage(StreamKind.of(message), once.duplicate());
    assertNotNull(read);
    ByteBuf twice = Unpooled.buffer();
    FrameCodec.encode(read, twice);
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

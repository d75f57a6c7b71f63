package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.op.FsOp;
import io.hypersync.wire.codec.FrameCodec;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.Decoded;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.FuseRequestDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The corpus must contain every kind of message and op, because fuzzing starts from its inputs: a
 * new kind needs an input.
 */
final class CorpusTest {
  /**
   * Opcodes that need a feature which is never negotiated with the kernel: the decoder always
   * refuses them.
   */
  private static final Set<FuseOpcode> NEVER_UNDERSTOOD =
      EnumSet.of(FuseOpcode.NOTIFY_REPLY, FuseOpcode.SETUPMAPPING, FuseOpcode.REMOVEMAPPING);

  @Test
  void everyMessageOfAWorkerIsThere() throws ProtocolException {
    Set<Class<?>> found = new HashSet<>();
    for (byte[] input : Corpus.valid("worker-frame")) {
      ByteBuf bytes = Unpooled.wrappedBuffer(input);
      found.add(
          Objects.requireNonNull(FrameCodec.decodeWorkerMessage(stream(bytes), bytes)).getClass());
    }
    assertEquals(Set.of(WorkerMessage.class.getPermittedSubclasses()), found);
  }

  @Test
  void everyMessageOfTheLeaderIsThere() throws ProtocolException {
    Set<Class<?>> found = new HashSet<>();
    for (byte[] input : Corpus.valid("leader-frame")) {
      ByteBuf bytes = Unpooled.wrappedBuffer(input);
      found.add(
          Objects.requireNonNull(FrameCodec.decodeLeaderMessage(stream(bytes), bytes)).getClass());
    }
    assertEquals(Set.of(LeaderMessage.class.getPermittedSubclasses()), found);
  }

  @Test
  void everyRequestOfTheKernelIsThere() {
    FuseRequestDecoder decoder = new FuseRequestDecoder(Set.of());
    Set<FuseOpcode> missing = EnumSet.allOf(FuseOpcode.class);
    for (byte[] input : Corpus.valid("fuse-request")) {
      switch (decoder.decode(ByteBuffer.wrap(input))) {
        case Decoded.Request(FuseRequest request) -> missing.remove(request.header().opcode());
        case Decoded.Init _ -> missing.remove(FuseOpcode.INIT);
        case Decoded.Interrupt _ -> missing.remove(FuseOpcode.INTERRUPT);
        case Decoded.Destroy _ -> missing.remove(FuseOpcode.DESTROY);
        case Decoded.Malformed _ -> {
          // DecoderFuzzTest reports it.
        }
      }
    }
    assertEquals(NEVER_UNDERSTOOD, missing);
  }

  @Test
  void everyOpIsThere() {
    Set<Class<?>> found =
        ModelTargets.ops().stream().map(FsOp::getClass).collect(Collectors.toSet());
    assertEquals(Set.of(FsOp.class.getPermittedSubclasses()), found);
  }

  private static StreamKind stream(ByteBuf bytes) {
    return Objects.requireNonNull(StreamKind.ofCode(bytes.readUnsignedByte()));
  }
}

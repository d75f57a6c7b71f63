package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.wire.codec.FrameCodec;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.multicast.MulticastPackets;
import io.hypersync.wire.multicast.PacketOpener;
import io.hypersync.wire.multicast.PacketSealer;
import io.hypersync.worker.dataplane.BlockDecoder;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.dataplane.SymbolAssemblies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
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
  private static final long EPOCH = 5;
  private static final byte[] KEY = new byte[MulticastGroup.KEY_BYTES];

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
            input -> isSame(FROM_LEADER, input)),
        FuzzTarget.of(
            "symbol-datagram", ProtocolException.class, List.of(symbol()), FrameTargets::isSymbol),
        FuzzTarget.of(
            "multicast-packet",
            ProtocolException.class,
            List.of(packet(true), packet(false)),
            FrameTargets::isPacket));
  }

  private static byte[] packet(boolean isBeacon) {
    byte[] packet = new byte[MulticastPackets.MAX_BYTES_IPV4];
    ChunkSymbol symbol =
        new ChunkSymbol(
            ChunkSymbol.TO_ALL, new Hash(1, 2, 3, 4), 65_536, 1_144, 9, new byte[1_144]);
    int length = new PacketSealer(EPOCH, KEY).seal(isBeacon ? null : symbol, packet);
    return Arrays.copyOf(packet, length);
  }

  /**
   * Nothing but what was sealed is taken, and no packet makes the next one of the leader's lost.
   */
  private static boolean isPacket(byte[] input) {
    PacketOpener opener = new PacketOpener(EPOCH, KEY);
    boolean isTaken = opener.open(input, input.length).isTaken();
    byte[] real = packet(true);
    assertEquals(!isTaken, opener.open(real, real.length).isTaken());
    if (isTaken) {
      assertTrue(Arrays.equals(input, real) || Arrays.equals(input, packet(false)));
    }
    return isTaken;
  }

  private static byte[] symbol() {
    ByteBuf out = Unpooled.buffer();
    SymbolFrames.encode(
        new ChunkSymbol(7, new Hash(1, 2, 3, 4), 65_536, 1_144, 9, new byte[1_144]), out);
    return ByteBufUtil.getBytes(out);
  }

  /** What is read is taken by a worker that expects nothing, which must not fail or keep much. */
  private static boolean isSymbol(byte[] input) throws ProtocolException {
    ChunkSymbol symbol = SymbolFrames.decode(Unpooled.wrappedBuffer(input));
    ByteBuf again = Unpooled.buffer();
    SymbolFrames.encode(symbol, again);
    assertEquals(Unpooled.wrappedBuffer(input), again);
    SymbolAssemblies assemblies = new SymbolAssemblies();
    ReceivedBlock block = assemblies.add(symbol, 0);
    if (block != null) {
      byte[] chunk = new BlockDecoder().decode(block);
      assertTrue(chunk == null || Blake3.hash(chunk).equals(symbol.chunk()));
    }
    return true;
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

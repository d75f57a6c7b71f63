package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.codec.FrameCodec;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The buffer needs memory for a frame and a piece, not for everything that passes through it. */
class FrameBufferTest {
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int CHUNKS = 1_700;

  /** The most that QUIC delivers at once. */
  private static final int PIECE_BYTES = 64 * 1024;

  private static final int MAX_CAPACITY_BYTES = 4 * (CHUNK_BYTES + PIECE_BYTES);

  /** No piece ends with a frame, as when a worker catches up. */
  @Test
  void moreThanAHundredMebibytesPassThroughABufferOfTheSizeOfAFrame() throws Exception {
    FrameBuffer buffer = new FrameBuffer();
    ByteBuf wire = Unpooled.buffer();
    int decoded = 0;
    int largest = 0;
    int sent = 0;
    while (decoded < CHUNKS) {
      while (sent < CHUNKS && wire.readableBytes() < PIECE_BYTES + 1) {
        FrameCodec.encode(new LeaderMessage.ChunkData(hash(sent), chunk(sent)), wire);
        sent++;
      }
      int bytes = sent < CHUNKS ? PIECE_BYTES - 3 : wire.readableBytes();
      ByteBuf piece = PooledByteBufAllocator.DEFAULT.directBuffer(PIECE_BYTES);
      piece.writeBytes(wire, Math.min(bytes, PIECE_BYTES));
      wire.discardReadBytes();
      buffer.add(piece);
      ByteBuf arrived = Objects.requireNonNull(buffer.bytes());
      while (FrameCodec.decodeLeaderMessage(StreamKind.BULK, arrived)
          instanceof LeaderMessage.ChunkData data) {
        assertEquals(hash(decoded), data.hash());
        assertArrayEquals(chunk(decoded), data.bytes(), "chunk " + decoded);
        decoded++;
      }
      largest = Math.max(largest, buffer.capacity());
    }
    buffer.discardIfDecoded();
    assertEquals(0, buffer.capacity(), "nothing is left");
    assertTrue(largest <= MAX_CAPACITY_BYTES, "it grew to " + largest + " bytes");
  }

  @Test
  void whatWasDecodedMakesRoomAndNothingIsLost() {
    FrameBuffer buffer = new FrameBuffer();
    ByteBuf first = Unpooled.directBuffer(4, 64).writeBytes(new byte[] {1, 2, 3, 4});
    buffer.add(first);
    assertEquals(1, first.readByte());
    assertEquals(2, first.readByte());
    ByteBuf second = Unpooled.directBuffer(4).writeBytes(new byte[] {5, 6});
    buffer.add(second);
    assertEquals(0, second.refCnt(), "its bytes were copied");
    assertEquals(4, buffer.capacity());
    byte[] rest = new byte[4];
    first.readBytes(rest);
    assertArrayEquals(new byte[] {3, 4, 5, 6}, rest);
    ByteBuf third = Unpooled.directBuffer(4).writeBytes(new byte[] {7});
    buffer.add(third);
    assertEquals(0, first.refCnt(), "it was empty");
    buffer.discard();
    assertEquals(0, third.refCnt());
  }

  private static Hash hash(int number) {
    return new Hash(number, 0, 0, 0);
  }

  private static byte[] chunk(int number) {
    byte[] bytes = new byte[CHUNK_BYTES];
    bytes[0] = (byte) number;
    bytes[CHUNK_BYTES - 1] = (byte) (number >> 8);
    return bytes;
  }
}

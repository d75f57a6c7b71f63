package io.hypersync.wire.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.wire.message.ChunkSymbol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a datagram with a symbol, which never change without another revision. */
class SymbolFramesTest {
  private static final String GOLDEN =
      "70" // kind
          + "00000007" // push
          + "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f" // chunk
          + "ffff" // its length, less one
          + "0478" // symbol bytes: 1,144
          + "010203" // symbol id
          + "aabbcc";

  @Test
  void theBytesAreThese() throws ProtocolException {
    ChunkSymbol symbol =
        new ChunkSymbol(
            7,
            SampleMessages.HASH,
            65_536,
            1_144,
            0x010203,
            new byte[] {(byte) 0xaa, (byte) 0xbb, (byte) 0xcc});
    ByteBuf out = Unpooled.buffer();
    SymbolFrames.encode(symbol, out);
    assertEquals(GOLDEN, HexFormat.of().formatHex(out.array(), 0, out.readableBytes()));
    assertEquals(SymbolFrames.HEADER_BYTES + 3, out.readableBytes());
    ChunkSymbol read = SymbolFrames.decode(out);
    assertEquals(symbol.push(), read.push());
    assertEquals(symbol.chunk(), read.chunk());
    assertEquals(symbol.chunkBytes(), read.chunkBytes());
    assertEquals(symbol.symbolBytes(), read.symbolBytes());
    assertEquals(symbol.id(), read.id());
    assertArrayEquals(symbol.bytes(), read.bytes());
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(ints = {0, 1, 43, 44, 70_000})
  void whatCannotBeAFrameIsRefused(int bytes) {
    byte[] datagram = new byte[bytes];
    if (bytes > 0) {
      datagram[0] = 0x70;
    }
    assertThrows(
        ProtocolException.class, () -> SymbolFrames.decode(Unpooled.wrappedBuffer(datagram)));
  }

  @Test
  void anotherKindIsRefused() {
    byte[] datagram = HexFormat.of().parseHex("71" + GOLDEN.substring(2));
    assertThrows(
        ProtocolException.class, () -> SymbolFrames.decode(Unpooled.wrappedBuffer(datagram)));
  }
}

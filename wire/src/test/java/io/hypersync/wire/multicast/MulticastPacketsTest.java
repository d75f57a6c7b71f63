package io.hypersync.wire.multicast;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.multicast.PacketOpener.Verdict;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The bytes of multicast packets, and what is taken of what anybody sends to the group. */
class MulticastPacketsTest {
  private static final long EPOCH = 0x0102030405060708L;
  private static final byte[] KEY =
      HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  private static final Hash HASH =
      Hash.parse("101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f");

  /** Frozen: it changes only with another magic number. Encrypted by OpenSSL. */
  private static final String GOLDEN_SYMBOL =
      "48534d31"
          + "0102030405060708"
          + "0000000000000001"
          + "65d6bffc44e4210c1d3a442ffbbe23ed0e83014a7b9275a6502426ff01185a74"
          + "11ba4adf07d37b3959dec102c74facf9eb89ab5c90c569ad87c43bd29aeba3";

  private static final String GOLDEN_BEACON =
      "48534d31" + "0102030405060708" + "0000000000000002" + "39f816bb55466f3b23847a301627de4e";

  private final PacketSealer sealer = new PacketSealer(EPOCH, KEY);
  private final PacketOpener opener = new PacketOpener(EPOCH, KEY);
  private final byte[] packet = new byte[MulticastPackets.MAX_BYTES_IPV4];

  @Test
  void theBytesAreThese() {
    int symbol = sealer.seal(symbol(3), packet);
    assertEquals(GOLDEN_SYMBOL, HexFormat.of().formatHex(packet, 0, symbol));
    int beacon = sealer.seal(null, packet);
    assertEquals(GOLDEN_BEACON, HexFormat.of().formatHex(packet, 0, beacon));
  }

  @Test
  void aSymbolComesAsItWas() {
    ChunkSymbol sent = symbol(1_280);
    int length = sealer.seal(sent, packet);
    assertEquals(MulticastPackets.OVERHEAD_BYTES + 1_280, length);
    assertEquals(Verdict.SYMBOL, opener.open(packet, length));
    ChunkSymbol read = Objects.requireNonNull(opener.symbol());
    assertEquals(sent.chunk(), read.chunk());
    assertEquals(sent.id(), read.id());
    assertArrayEquals(sent.bytes(), read.bytes());
    assertEquals(1, opener.newest());
  }

  @Test
  void aPacketIsTakenOnce() {
    int length = sealer.seal(null, packet);
    assertEquals(Verdict.BEACON, opener.open(packet, length));
    assertEquals(Verdict.REPLAYED, opener.open(packet, length));
  }

  /** A bit that flips anywhere, the header included. */
  @Test
  void noBitMayFlip() {
    int length = sealer.seal(symbol(3), packet);
    for (int bit = 0; bit < length * Byte.SIZE; bit++) {
      packet[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Verdict verdict = opener.open(packet, length);
      assertTrue(!verdict.isTaken(), () -> "taken: " + verdict);
      packet[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    }
    assertEquals(0, opener.newest(), "the window did not move");
    assertEquals(Verdict.SYMBOL, opener.open(packet, length), "the packet itself still counts");
  }

  @Test
  void noPacketIsTakenThatWasCutOrMadeLonger() {
    int length = sealer.seal(symbol(3), packet);
    for (int other = 0; other < packet.length; other++) {
      if (other != length) {
        assertTrue(!opener.open(packet, other).isTaken());
      }
    }
    assertEquals(Verdict.FOREIGN, opener.open(new byte[2_000], 2_000));
  }

  @Test
  void anOlderRunIsNotHeard() {
    int length = new PacketSealer(EPOCH - 1, KEY).seal(null, packet);
    assertEquals(Verdict.OTHER_EPOCH, opener.open(packet, length));
    byte[] otherKey = KEY.clone();
    otherKey[0] = 1;
    length = new PacketSealer(EPOCH, otherKey).seal(null, packet);
    assertEquals(Verdict.FORGED, opener.open(packet, length));
  }

  @Test
  void whoHasTheKeyMaySendNothingButSymbolsToAll() {
    ChunkSymbol toOne = new ChunkSymbol(7, HASH, 9, 8, 0, new byte[8]);
    assertEquals(Verdict.FORGED, opener.open(packet, sealer.seal(toOne, packet)));
    assertNull(opener.symbol());
    assertEquals(Verdict.SYMBOL, opener.open(packet, sealer.seal(symbol(1), packet)));
  }

  @Test
  void numbersOutOfRangeAreForged() {
    int length = sealer.seal(null, packet);
    for (long number : new long[] {0, -1, MulticastPackets.LAST_NUMBER + 1, Long.MAX_VALUE}) {
      MulticastPackets.U64.set(packet, MulticastPackets.NUMBER_AT, number);
      assertEquals(Verdict.FORGED, opener.open(packet, length), () -> "number " + number);
    }
  }

  @Test
  void noisyBytesAreNoPackets() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 20_000; i++) {
      byte[] noise = new byte[random.nextInt(MulticastPackets.MAX_BYTES_IPV4)];
      random.nextBytes(noise);
      if (noise.length > MulticastPackets.HEADER_BYTES && random.nextBoolean()) {
        MulticastPackets.U32.set(noise, 0, MulticastPackets.MAGIC);
        MulticastPackets.U64.set(noise, MulticastPackets.EPOCH_AT, EPOCH);
      }
      assertTrue(!opener.open(noise, noise.length).isTaken());
    }
  }

  @Test
  void theLargestSymbolFitsIntoAFrameOfEitherProtocol() {
    int length = sealer.seal(symbol(1_280), packet);
    assertTrue(length <= MulticastPackets.MAX_BYTES_IPV6);
    assertEquals(
        MulticastPackets.HEADER_BYTES + SymbolFrames.HEADER_BYTES + MulticastPackets.TAG_BYTES,
        MulticastPackets.OVERHEAD_BYTES);
  }

  private static ChunkSymbol symbol(int bytes) {
    byte[] data = new byte[bytes];
    Arrays.fill(data, (byte) 0xab);
    return new ChunkSymbol(ChunkSymbol.TO_ALL, HASH, 65_536, 1_280, 0x010203, data);
  }
}

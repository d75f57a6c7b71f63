package io.hypersync.leader.oplog.chronicle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The record format is frozen: what release 0.1 wrote must be readable for ever. */
class RecordCodecTest {
  private static final Hash PREVIOUS = Blake3.hash("the record before".getBytes(UTF_8));

  @Test
  void entryHasTheGoldenBytes() throws IOException {
    assertEquals(golden("entry.hex"), hex(entry()));
  }

  @Test
  void segmentHeaderHasTheGoldenBytes() throws IOException {
    byte[] target = new byte[200];
    int length =
        RecordCodec.encode(
            target,
            0,
            RecordKind.SEGMENT_HEADER,
            1001,
            1000,
            0xfedcba9876543210L,
            PREVIOUS,
            RecordCodec.segmentHeaderPayload(42));
    assertEquals(golden("segment-header.hex"), hex(Arrays.copyOf(target, length)));
  }

  @Test
  void everyFieldIsReadBack() {
    LogRecord record = new LogRecord(64, entry());
    assertEquals(RecordKind.ENTRY, record.kind());
    assertEquals(1001, record.index());
    assertEquals(999, record.commitWatermark());
    assertEquals(0xfedcba9876543210L, record.segmentId());
    assertEquals(PREVIOUS, record.previousHash());
    assertEquals("payload", new String(record.payload(), UTF_8));
    assertEquals(64 + 72 + 7, record.end());
  }

  @Test
  void noFlippedBitGoesUnnoticed() {
    byte[] good = entry();
    assertTrue(accepted(good), "the undamaged record is accepted");
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] damaged = good.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertFalse(accepted(damaged), "bit " + bit + " flipped");
    }
  }

  private static boolean accepted(byte[] bytes) {
    return RecordCodec.looksLikeRecord(bytes, 0)
        && RecordCodec.payloadLength(bytes, 0) == bytes.length - RecordCodec.HEADER_BYTES
        && RecordCodec.crcMatches(bytes, 0, bytes.length);
  }

  @Test
  void whatStandsBeforeAndBehindARecordIsLeftAlone() {
    byte[] alone = entry();
    byte[] target = new byte[200];
    Arrays.fill(target, (byte) 0x55);
    assertEquals(alone.length, encodeEntry(target, 12));
    assertArrayEquals(alone, Arrays.copyOfRange(target, 12, 12 + alone.length));
    Arrays.fill(target, 12, 12 + alone.length, (byte) 0x55);
    for (byte other : target) {
      assertEquals(0x55, other);
    }
  }

  private static byte[] entry() {
    byte[] target = new byte[200];
    return Arrays.copyOf(target, encodeEntry(target, 0));
  }

  private static int encodeEntry(byte[] target, int at) {
    return RecordCodec.encode(
        target,
        at,
        RecordKind.ENTRY,
        1001,
        999,
        0xfedcba9876543210L,
        PREVIOUS,
        "payload".getBytes(UTF_8));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Hexadecimal digits of a file whose comments begin with '#'. */
  private static String golden(String name) throws IOException {
    try (InputStream in = RecordCodecTest.class.getResourceAsStream("/oplog/v0_1/" + name)) {
      if (in == null) {
        throw new AssertionError("no golden file " + name);
      }
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .map(line -> line.replaceAll("#.*", "").replaceAll("\\s", ""))
          .collect(Collectors.joining());
    }
  }
}

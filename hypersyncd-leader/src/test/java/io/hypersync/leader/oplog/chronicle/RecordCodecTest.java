package io.hypersync.leader.oplog.chronicle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The record format is frozen: what any release has written must remain readable. */
class RecordCodecTest {
  private static final long SEGMENT_ID = 0xfedcba9876543210L;
  private static final Hash PREVIOUS = Blake3.hash("the record before".getBytes(UTF_8));

  @Test
  void entryHasTheGoldenBytes() throws IOException {
    assertEquals(golden("v0_2/entry.hex"), hex(entry()));
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
            SEGMENT_ID,
            PREVIOUS,
            RecordCodec.segmentHeaderPayload(42, RootVersion.V2));
    assertEquals(golden("v0_3/segment-header.hex"), hex(Arrays.copyOf(target, length)));
  }

  @Test
  void watermarkHasTheGoldenBytes() throws IOException {
    assertEquals(golden("v0_2/watermark.hex"), hex(watermark()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"v0_1", "v0_2"})
  void everyFieldOfEveryVersionIsReadBack(String version) throws IOException {
    byte[] bytes = Golden.bytes(version + "/entry.hex");
    assertTrue(accepted(bytes));
    LogRecord record = new LogRecord(64, bytes);
    assertEquals(RecordKind.ENTRY, record.kind());
    assertEquals(1001, record.index());
    assertEquals(999, record.commitWatermark());
    assertEquals(SEGMENT_ID, record.segmentId());
    assertEquals(PREVIOUS, record.previousHash());
    assertEquals("payload", new String(record.payload(), UTF_8));
    assertEquals(64 + 72 + 7, record.end());
    byte[] header = Golden.bytes(version + "/segment-header.hex");
    assertTrue(accepted(header));
    assertEquals(RecordKind.SEGMENT_HEADER, RecordCodec.kind(header, 0));
    assertTrue(RecordCodec.hasHeaderLength(header));
    assertEquals(42, RecordCodec.segmentSequence(header));
    assertEquals(1, RecordCodec.rootVersionCode(header), "as all roots were then");
  }

  @Test
  void aSegmentHeaderOfVersionThreeHasTheVersionOfTheRoots() throws IOException {
    byte[] header = Golden.bytes("v0_3/segment-header.hex");
    assertTrue(accepted(header));
    assertTrue(RecordCodec.hasHeaderLength(header));
    assertEquals(42, RecordCodec.segmentSequence(header));
    assertEquals(2, RecordCodec.rootVersionCode(header));
    byte[] older = header.clone();
    older[4] = 2;
    assertFalse(RecordCodec.hasHeaderLength(older), "its payload is too long for version 2");
  }

  @Test
  void aWatermarkSaysUpToWhereAllIsDurable() {
    LogRecord record = new LogRecord(0, watermark());
    assertTrue(accepted(record.bytes()));
    assertEquals(RecordKind.WATERMARK, record.kind());
    assertEquals(1001, record.index());
    assertEquals(1001, record.commitWatermark());
    assertEquals(PREVIOUS, record.previousHash());
    assertEquals(0, record.payload().length);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 127, -1})
  void anotherVersionIsNoRecord(int version) {
    byte[] bytes = entry();
    bytes[4] = (byte) version;
    assertFalse(RecordCodec.looksLikeRecord(bytes, 0));
  }

  @Test
  void versionOneKnowsNoWatermarks() {
    byte[] bytes = watermark();
    bytes[4] = 1;
    assertFalse(RecordCodec.looksLikeRecord(bytes, 0));
  }

  @Test
  void noFlippedBitGoesUnnoticed() {
    for (byte[] good : new byte[][] {entry(), watermark()}) {
      assertTrue(accepted(good), "the undamaged record is accepted");
      for (int bit = 0; bit < good.length * 8; bit++) {
        byte[] damaged = good.clone();
        damaged[bit / 8] ^= (byte) (1 << (bit % 8));
        assertFalse(accepted(damaged), "bit " + bit + " flipped");
      }
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

  private static byte[] watermark() {
    byte[] target = new byte[200];
    int length = RecordCodec.encodeWatermark(target, 0, 1001, SEGMENT_ID, PREVIOUS);
    return Arrays.copyOf(target, length);
  }

  private static int encodeEntry(byte[] target, int at) {
    return RecordCodec.encode(
        target, at, RecordKind.ENTRY, 1001, 999, SEGMENT_ID, PREVIOUS, "payload".getBytes(UTF_8));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static String golden(String name) throws IOException {
    return hex(Golden.bytes(name));
  }
}

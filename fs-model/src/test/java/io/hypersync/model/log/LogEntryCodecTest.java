package io.hypersync.model.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.codec.GoldenFile;
import io.hypersync.model.codec.HostileBytes;
import io.hypersync.model.codec.RecordText;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogEntryCodecTest {
  private static final Map<String, byte[]> GOLDEN = GoldenFile.read("log-entries-v1.txt");
  private static final Map<String, byte[]> SENT = GoldenFile.read("sent-entries-v1.txt");
  private static final byte[] NONE = {};
  private static final NodeId DIR = new NodeId(0x1111111111111111L, 0x2222222222222222L);
  private static final FsOp MKDIR = new FsOp.MakeDir(DIR, Name.of("sub"), 02775, 1000, -1);

  private static final LogEntry PLAIN =
      new LogEntry(
          1,
          new OpId(0xa0a1a2a3a4a5a6a7L, 0xa8a9aaabacadaeafL),
          1764000000123456789L,
          new IntentId(new ClientId(0xc0c1c2c3c4c5c6c7L, 0xc8c9cacbcccdcecfL), 1),
          new WorkerId("worker-1"),
          "",
          MKDIR,
          DIR,
          ascending(0x10),
          NONE,
          NONE);

  private static final LogEntry FULL =
      new LogEntry(
          Long.MAX_VALUE,
          new OpId(1, 2),
          -1,
          new IntentId(new ClientId(3, 4), Long.MAX_VALUE),
          new WorkerId("w"),
          "agent é",
          new FsOp.Write(
              new NodeId(Long.MIN_VALUE, 0xff),
              WriteMode.PWRITE,
              0,
              List.of(new ChunkRef(ascending(3), 3)),
              false),
          LogEntry.NO_NODE,
          ascending(0x20),
          new byte[] {(byte) 0xbe, (byte) 0xef},
          "abc".getBytes(StandardCharsets.US_ASCII));

  static Stream<Arguments> fixtures() {
    return Stream.of(
        Arguments.of("mkdir-entry", PLAIN), Arguments.of("write-entry-with-everything", FULL));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("fixtures")
  void encodesToTheFrozenBytesAndBack(String name, LogEntry entry) throws DecodeException {
    byte[] golden = GOLDEN.get(name);
    assertEquals(hex(golden), hex(LogEntryCodec.encode(entry)), name);
    assertEquals(RecordText.of(entry), RecordText.of(LogEntryCodec.decode(golden)), name);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("fixtures")
  void refusesFewerBytesAndMore(String name, LogEntry entry) {
    byte[] bytes = LogEntryCodec.encode(entry);
    HostileBytes.assertEveryTruncationIsRefused(name, bytes, LogEntryCodecTest::recode);
    HostileBytes.assertTrailingByteIsRefused(name, bytes, LogEntryCodecTest::recode);
  }

  /** To the worker that has the payload, in the bytes that are on the wire. */
  @Test
  void anEntryCanBeSentWithoutItsPayload() throws DecodeException {
    byte[] logged = LogEntryCodec.encode(FULL);
    byte[] sent = LogEntryCodec.withoutPayload(logged, FULL.inlinePayload().length);
    assertEquals(hex(SENT.get("write-entry-without-its-payload")), hex(sent));
    assertTrue(LogEntryCodec.isWithoutPayload(sent));
    assertFalse(LogEntryCodec.isWithoutPayload(logged));
    LogEntry back = LogEntryCodec.decodeSent(sent);
    assertEquals(0, back.inlinePayload().length);
    assertEquals(RecordText.of(FULL), RecordText.of(back.with(FULL.inlinePayload())));
    assertEquals(RecordText.of(FULL), RecordText.of(LogEntryCodec.decodeSent(logged)));
    assertEquals(hex(logged), hex(LogEntryCodec.encode(FULL)), "what is in the log is not changed");
  }

  @Test
  void noLogHasAnEntryWithoutItsPayload() {
    byte[] sent = SENT.get("write-entry-without-its-payload");
    assertThrows(DecodeException.class, () -> LogEntryCodec.decode(sent));
  }

  @Test
  void whatIsSentWithoutAPayloadIsRefusedIfItIsCutOrLonger() {
    byte[] sent = SENT.get("write-entry-without-its-payload");
    HostileBytes.assertEveryTruncationIsRefused("sent", sent, LogEntryCodecTest::recodeSent);
    HostileBytes.assertTrailingByteIsRefused("sent", sent, LogEntryCodecTest::recodeSent);
    HostileBytes.assertMutationsAreHarmless(
        44, 100_000, SENT.values(), LogEntryCodecTest::recodeSent);
  }

  @Test
  void mutatedBytesAreRefusedOrCanonical() {
    HostileBytes.assertMutationsAreHarmless(
        43, 100_000, GOLDEN.values(), LogEntryCodecTest::recode);
  }

  /** The offsets are those of the diagram in {@link LogEntryCodec}. */
  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of("version 0", 0, "00"),
        Arguments.of("version 2", 0, "02"),
        Arguments.of("index 0", 1, "0000000000000000"),
        Arguments.of("index 2^63", 1, "8000000000000000"),
        Arguments.of("seq_no 0", 49, "0000000000000000"),
        Arguments.of("seq_no 2^63", 49, "8000000000000000"),
        Arguments.of("an empty worker name", 105, "00000000"),
        Arguments.of("a worker name over 63 bytes", 105, "00000040"),
        Arguments.of("a worker name with a space", 109, "20"),
        Arguments.of("a worker name that is not UTF-8", 109, "ff"),
        Arguments.of("an agent name over 255 bytes", 117, "00000100"),
        Arguments.of("an agent name past 2^31", 117, "ffffffff"),
        Arguments.of("an unknown op", 121, "7f"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void refuses(String what, int offset, String hex) {
    byte[] bytes = LogEntryCodec.encode(PLAIN);
    byte[] patch = HexFormat.of().parseHex(hex);
    System.arraycopy(patch, 0, bytes, offset, patch.length);
    assertThrows(DecodeException.class, () -> LogEntryCodec.decode(bytes), what);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 64 * 1024})
  void carriesPayloadsUpToTheLimit(int length) throws DecodeException {
    LogEntry entry = with(1, "a".repeat(255), new byte[length], new byte[length]);
    byte[] bytes = LogEntryCodec.encode(entry);
    assertEquals(hex(bytes), hex(recode(bytes)));
  }

  @Test
  void onlyEntriesThatCanBeReadAgainCanBeMade() {
    byte[] tooLong = new byte[64 * 1024 + 1];
    assertRefused("index 0", () -> with(0, "", NONE, NONE));
    assertRefused("256 letters", () -> with(1, "a".repeat(256), NONE, NONE));
    assertRefused("256 bytes in 128 letters", () -> with(1, "é".repeat(128), NONE, NONE));
    assertRefused("a hazard report over 64 KiB", () -> with(1, "", tooLong, NONE));
    assertRefused("an inline payload over 64 KiB", () -> with(1, "", NONE, tooLong));
  }

  private static void assertRefused(String what, Runnable make) {
    assertThrows(IllegalArgumentException.class, make::run, what);
  }

  private static LogEntry with(long index, String agent, byte[] hazard, byte[] inline) {
    return new LogEntry(
        index,
        PLAIN.opId(),
        PLAIN.committedAtNs(),
        PLAIN.intent(),
        PLAIN.origin(),
        agent,
        MKDIR,
        DIR,
        PLAIN.root(),
        hazard,
        inline);
  }

  private static byte[] recode(byte[] bytes) throws DecodeException {
    return LogEntryCodec.encode(LogEntryCodec.decode(bytes));
  }

  private static byte[] recodeSent(byte[] bytes) throws DecodeException {
    byte[] whole = LogEntryCodec.encode(LogEntryCodec.decodeSent(bytes));
    return LogEntryCodec.isWithoutPayload(bytes) ? LogEntryCodec.withoutPayload(whole, 0) : whole;
  }

  private static Hash ascending(int first) {
    byte[] bytes = new byte[Hash.BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (first + i);
    }
    return Hash.read(bytes, 0);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}

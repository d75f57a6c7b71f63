package io.hypersync.coordination.cas.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.CasStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a record, version 1, which stay what they are. */
final class RecordBytesTest {
  private static final String GOLDEN =
      "hypersync-record: 1\nrevision: 1795843200000000123\nbytes: 5\n\nhost\n";

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void aRecordIsAHeadAndItsValue() {
    CasRecord record = new CasRecord(bytes("host\n"), 1_795_843_200_000_000_123L);
    assertArrayEquals(bytes(GOLDEN), RecordBytes.of(record));
    CasRecord read = RecordBytes.parse(bytes(GOLDEN)).orElseThrow();
    assertEquals(record.revision(), read.revision());
    assertArrayEquals(record.value(), read.value());
  }

  @Test
  void theLargestRecordIsNoLongerThanWhatIsRead() {
    byte[] value = new byte[CasStore.MAX_VALUE_BYTES];
    Arrays.fill(value, (byte) 0xff);
    byte[] file = RecordBytes.of(new CasRecord(value, Long.MAX_VALUE - 1));
    assertTrue(file.length <= RecordBytes.MAX_BYTES);
    assertArrayEquals(value, RecordBytes.parse(file).orElseThrow().value());
  }

  @Test
  void anEmptiedRecordIsARecord() {
    byte[] file = RecordBytes.of(new CasRecord(new byte[0], 7));
    assertEquals(0, RecordBytes.parse(file).orElseThrow().value().length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n",
        "garbage",
        "hypersync-record: 2\nrevision: 1\nbytes: 0\n\n",
        "hypersync-record: 1\nrevision: 0\nbytes: 0\n\n",
        "hypersync-record: 1\nrevision: -1\nbytes: 0\n\n",
        "hypersync-record: 1\nrevision: 01\nbytes: 0\n\n",
        "hypersync-record: 1\nrevision: 9223372036854775807\nbytes: 0\n\n",
        "hypersync-record: 1\nrevision: 9999999999999999999\nbytes: 0\n\n",
        "hypersync-record: 1\nrevision: 1\nbytes: 3\n\nab",
        "hypersync-record: 1\nrevision: 1\nbytes: 1\n\nab",
        "hypersync-record: 1\nrevision: 1\nbytes: 9999\n\n",
        "hypersync-record: 1\nrevision: 1\nbytes: 99999\n\n",
        "hypersync-record: 1\r\nrevision: 1\r\nbytes: 0\r\n\r\n",
        "hypersync-record: 1\nrevision: 1\nbytes: 0\n"
      })
  void anythingElseIsNone(String text) {
    assertTrue(RecordBytes.parse(bytes(text)).isEmpty());
  }

  @Test
  void noBeginningOfARecordIsARecord() {
    for (int length = 0; length < GOLDEN.length(); length++) {
      assertTrue(RecordBytes.parse(bytes(GOLDEN.substring(0, length))).isEmpty(), "of " + length);
    }
  }
}

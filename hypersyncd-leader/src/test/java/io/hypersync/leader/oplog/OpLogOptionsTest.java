package io.hypersync.leader.oplog;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Options of an op log")
final class OpLogOptionsTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest(name = "a log of {0} MiB has segments of {1} MiB")
  @CsvSource({"10240, 64", "512, 64", "256, 32", "64, 8", "16, 4"})
  @DisplayName("have segments of an eighth of the log, within limits")
  void withinALog(long logMib, long segmentMib) {
    OpLogOptions options = OpLogOptions.DEFAULT.within(logMib * MIB);
    assertEquals(segmentMib * MIB, options.segmentBytes());
    assertEquals(OpLogOptions.DEFAULT.firstSegmentBytes(), options.firstSegmentBytes());
  }

  @Test
  @DisplayName("have whole granules, and no larger segments for a log without a limit")
  void odd() {
    assertEquals(8 * MIB, OpLogOptions.DEFAULT.within(64 * MIB + 70_000).segmentBytes());
    assertEquals(OpLogOptions.DEFAULT, OpLogOptions.DEFAULT.within(Long.MAX_VALUE));
  }
}

package io.hypersync.worker.fuse.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelTimeTest {
  @ParameterizedTest
  @CsvSource({
    // seconds, nanoseconds, together
    "0, 0, 0",
    "1, 5, 1000000005",
    "-1, 999999999, -1",
    "-2, 0, -2000000000",
    "1700000000, 123456789, 1700000000123456789",
  })
  void secondsAndNanosecondsAreOneNumber(long seconds, int nanos, long together) {
    assertEquals(together, KernelTime.join(seconds, nanos));
    assertEquals(seconds, KernelTime.seconds(together));
    assertEquals(nanos, KernelTime.nanos(together));
  }

  @ParameterizedTest
  @CsvSource({
    // out of range: clamped, never wrapped around
    "9223372036854775807, 0, 9223372035000000000",
    "-9223372036854775808, 0, -9223372035000000000",
    "0, -1, 999999999",
  })
  void whatDoesNotFitIsBent(long seconds, int nanos, long together) {
    assertEquals(together, KernelTime.join(seconds, nanos));
  }
}

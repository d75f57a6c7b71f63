package io.hypersync.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing and formatting of numbers with units. */
final class UnitsTest {
  @ParameterizedTest
  @CsvSource({
    "0us, PT0S, 0us",
    "250ms, PT0.25S, 250ms",
    "1000ms, PT1S, 1s",
    "5m, PT5M, 5m",
    "90 s, PT90S, 90s",
    "72h, PT72H, 3d",
    "106751d, PT2562024H, 106751d"
  })
  void durations(String text, Duration duration, String shortest) {
    assertEquals(duration, Units.parseDuration(text));
    assertEquals(shortest, Units.formatDuration(duration));
  }

  @ParameterizedTest
  @CsvSource({
    "0B, 0, 0B",
    "1023B, 1023, 1023B",
    "1KiB, 1024, 1KiB",
    "64 KiB, 65536, 64KiB",
    "1MB, 1000000, 1MB",
    "1000kB, 1000000, 1MB",
    "1MiB, 1048576, 1MiB",
    "3GiB, 3221225472, 3GiB"
  })
  void sizes(String text, long bytes, String shortest) {
    assertEquals(bytes, Units.parseSize(text));
    assertEquals(shortest, Units.formatSize(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "m", "5 min", "1.5s", "-5s", "5m5s", "106752d", "1MS"})
  void noDurations(String text) {
    assertThrows(IllegalArgumentException.class, () -> Units.parseDuration(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "KiB", "5 K", "1mib", "9223372036854775807KiB"})
  void noSizes(String text) {
    assertThrows(IllegalArgumentException.class, () -> Units.parseSize(text));
  }
}

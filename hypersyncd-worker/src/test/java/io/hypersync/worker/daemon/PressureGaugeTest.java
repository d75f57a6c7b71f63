package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.message.LocalPressure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measured load of a host (hypersync.md 12.4). */
class PressureGaugeTest {
  @TempDir Path proc;

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          0.00 0.01 0.05 1/500 12, 4, 0
          1.00 0.01 0.05 1/500 12, 4, 25
          9.50 0.01 0.05 1/500 12, 4, 100
          -3 x, 4, 0
          NaN x, 4, 0
          '', 4, -1
          many, 4, -1
          many x, 4, -1
          """)
  void theLoadOfAProcessorIsAtMostAll(String loadavg, int processors, int percent) {
    assertEquals(percent, PressureGauge.cpuPercent(loadavg, processors));
  }

  @Test
  void memoryIsWhatCannotBeHadAnyMore() {
    String meminfo = "MemTotal:       1000 kB\nMemFree:   10 kB\nMemAvailable:    250 kB\n";
    assertEquals(75, PressureGauge.memoryPercent(meminfo));
    assertEquals(0, PressureGauge.memoryPercent(meminfo.replace(" 250", "9999")));
    assertEquals(
        LocalPressure.UNKNOWN, PressureGauge.memoryPercent(meminfo.replace("Available", "")));
    assertEquals(LocalPressure.UNKNOWN, PressureGauge.memoryPercent(""));
    assertEquals(LocalPressure.UNKNOWN, PressureGauge.memoryPercent("MemTotal: x kB"));
  }

  @Test
  void aMachineThatTellsNothingIsUnknownButForItsDisk() throws IOException {
    try (PressureGauge gauge = new PressureGauge(proc, proc)) {
      assertEquals(LocalPressure.NOT_KNOWN, gauge.pressure(), "before the first look");
      LocalPressure nothing = gauge.look();
      assertEquals(LocalPressure.UNKNOWN, nothing.cpuPercent());
      assertEquals(LocalPressure.UNKNOWN, nothing.memoryPercent());
      assertTrue(nothing.diskPercent() >= 0 && nothing.diskPercent() <= 100, nothing::toString);
      Files.writeString(proc.resolve("loadavg"), "0.00 0.00 0.00 1/1 1\n");
      assertEquals(0, gauge.look().cpuPercent());
    }
  }
}

package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The suite of freshness")
final class ReadBarrierTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  @DisplayName("tells before from after, where one folder is both mounts")
  void looks(FirstLook look) throws IOException {
    Path file = Files.write(folder.resolve(FirstLook.OLD + 7), new byte[Long.BYTES]);
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      look.prepare(folder, 7);
      assertFalse(look.sees(folder, 7));
      look.change(folder, 7, out);
      assertTrue(look.sees(folder, 7));
    }
  }

  @Test
  @DisplayName("reports shares of looks, quiet and busy side by side")
  void report() {
    Load load = new Load(new Machine("6.18", 2, "cpu", "disk", "25"), 1, 2);
    List<LookResult> quiet =
        Arrays.stream(FirstLook.values())
            .map(look -> new LookResult(look, 200, 3, 1_500_000))
            .toList();
    List<LookResult> busy =
        Arrays.stream(FirstLook.values())
            .map(look -> new LookResult(look, 200, 50, 20_000_000))
            .toList();
    SuiteResult found = FreshnessReport.of(load, new Workers(2), quiet, busy);
    assertTrue(
        found
            .text()
            .contains("an unlink                     1.5 %     1.50     25.0 %          20.00"),
        found::text);
    assertEquals(
        "{\"look\":\"absent\",\"tries\":200,\"quiet_old\":3,\"quiet_longest_ms\":1.5,"
            + "\"busy_old\":50,\"busy_longest_ms\":20.0}",
        found.json().path("rows").path(0).toString());
  }
}

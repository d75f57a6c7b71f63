package io.hypersync.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} has every setting, as it is. */
class ConfigurationPageTest {
  @Test
  void thePageSaysOfEachSettingWhatItsDefinitionSays() throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/configuration.md"))) {
      root = Objects.requireNonNull(root.getParent(), "the page is in no folder above");
    }
    List<String> rows =
        Files.readAllLines(root.resolve("docs/configuration.md")).stream()
            .filter(line -> line.startsWith("| `hypersync."))
            .toList();
    List<String> wanted = Settings.all().stream().map(ConfigurationPageTest::row).toList();
    assertEquals(
        wanted.stream().collect(Collectors.joining("\n")),
        rows.stream().collect(Collectors.joining("\n")));
  }

  private static <T> String row(Setting<T> setting) {
    T standard = setting.defaultValue();
    return "| `"
        + setting.key()
        + "` | "
        + (standard == null ? "" : "`" + setting.type().toToml().apply(standard) + "`")
        + " | "
        + (setting.changesWhileRunning() ? "changes" : "restart")
        + " | "
        + setting.doc()
        + " |";
  }
}

package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where a daemon's configuration comes from. */
class ConfigurationOptionsTest {
  /** Or else not even the help of a command could be read. */
  @Test
  void aVariableThatIsWrongIsAMistakeOfWhoeverReadsIt() {
    ConfigurationOptions options =
        new ConfigurationOptions(Map.of("HYPERSYNC_LOG_LEVEL", "warning"));
    UserError error =
        assertThrows(UserError.class, () -> options.read(Path.of("/nowhere/hypersync.toml")));
    assertEquals(UserError.USAGE, error.exitCode());
    assertTrue(error.message().contains("\"warn\""), error::message);
    assertTrue(error.message().endsWith("got \"warning\""), error::message);
  }
}

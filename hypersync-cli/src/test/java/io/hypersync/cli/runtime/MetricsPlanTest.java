package io.hypersync.cli.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.metrics.MetricsOptions;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a daemon shows its metrics, by what was set. */
final class MetricsPlanTest {
  @TempDir Path directory;

  private static Optional<MetricsOptions> planned(String... settings) {
    ConfigurationReader reader = new ConfigurationReader();
    for (String each : settings) {
      reader.assignment("--set", "hypersync.metrics." + each);
    }
    return MetricsPlan.options(reader.withoutFile());
  }

  private static String refused(String... settings) {
    return assertThrows(UserError.class, () -> planned(settings)).message();
  }

  @Test
  void byDefaultItIsAFreePortOfThisMachineAlone() {
    MetricsOptions options = planned().orElseThrow();
    assertEquals("/127.0.0.1:9570", options.address().toString());
    assertEquals(32, options.ports());
    assertEquals(Optional.empty(), options.token());
  }

  @Test
  void onePortThatIsSetIsTheOnlyOne() {
    MetricsOptions options = planned("address=127.0.0.1:9000").orElseThrow();
    assertEquals(9000, options.address().getPort());
    assertEquals(1, options.ports());
  }

  @Test
  void nothingIsShownIfThatIsSaid() {
    assertEquals(Optional.empty(), planned("enabled=false", "address=0.0.0.0:9570"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:9570", "10.0.0.1:9570", "[::]:9570"})
  void whatOthersCanReachNeedsAToken(String address) throws IOException {
    String message = refused("address=" + address);
    assertTrue(message.contains("can be reached from other machines"), message);
    Path token = Files.writeString(directory.resolve("token"), "secret\nmore\n");
    MetricsOptions options = planned("address=" + address, "token_file=" + token).orElseThrow();
    assertEquals(Optional.of("secret"), options.token());
  }

  @Test
  void aTokenThatIsNoneIsNamedWithItsFile() throws IOException {
    Path empty = Files.writeString(directory.resolve("empty"), "two words\n");
    assertEquals(
        "hypersync.metrics.token_file: the first line of " + empty + " is no token",
        refused("token_file=" + empty));
    String missing = refused("token_file=" + directory.resolve("missing"));
    assertTrue(missing.startsWith("hypersync.metrics.token_file: cannot read "), missing);
  }
}

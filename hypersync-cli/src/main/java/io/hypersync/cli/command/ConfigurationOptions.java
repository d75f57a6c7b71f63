package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a daemon's configuration comes from. */
final class ConfigurationOptions {
  private static final Path OF_MACHINE = Path.of("/etc/hypersync/hypersync.toml");

  @Option(
      names = "--config",
      paramLabel = "<file>",
      description =
          "The configuration (default: hypersync.toml of the workspace's folder; for a worker"
              + " /etc/hypersync/hypersync.toml if there is one).")
  private @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "<key=value>",
      description = "A setting over the configuration; may be repeated.")
  private List<String> assignments = new ArrayList<>();

  private final ConfigurationReader reader = new ConfigurationReader();

  /** Puts a flag over a setting, if it was given. */
  void put(String flag, Setting<?> setting, @Nullable String text) {
    if (text != null) {
      reader.flag(flag, setting, text);
    }
  }

  /** Reads the file that was given, else that one. */
  Configuration read(Path standard) {
    assignments.forEach(assignment -> reader.assignment("--set", assignment));
    return reader.withFile(file != null ? file : standard);
  }

  /** Reads the file that was given, else the machine's if there is one. */
  Configuration readOfMachine() {
    if (file != null || Files.exists(OF_MACHINE)) {
      return read(OF_MACHINE);
    }
    assignments.forEach(assignment -> reader.assignment("--set", assignment));
    return reader.withoutFile();
  }
}

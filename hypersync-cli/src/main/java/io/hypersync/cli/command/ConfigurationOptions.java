package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.ConfigurationSource;
import io.hypersync.cli.config.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --config} and {@code --set}: where a daemon's configuration comes from. */
final class ConfigurationOptions {
  static final Path OF_MACHINE = Path.of("/etc/hypersync/hypersync.toml");

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

  private final ConfigurationReader reader = new ConfigurationReader(System.getenv());

  /** Overrides a setting by a flag; does nothing if {@code text} is null, that is, not given. */
  void put(String flag, Setting<?> setting, @Nullable String text) {
    if (text != null) {
      reader.flag(flag, setting, text);
    }
  }

  /** Reads the file of {@code --config}, or {@code standard} if that option was not given. */
  Configuration read(Path standard) {
    return source(standard).read();
  }

  /** What {@link #read} reads; call once. */
  ConfigurationSource source(Path standard) {
    return source(standard, false);
  }

  /**
   * The file of {@code --config}, or else the machine-wide file; defaults if there is neither. Call
   * once.
   */
  ConfigurationSource sourceOfMachine() {
    return source(OF_MACHINE, true);
  }

  /** Whether a file is named. */
  boolean namesFile() {
    return file != null;
  }

  private ConfigurationSource source(Path standard, boolean mayBeMissing) {
    assignments.forEach(assignment -> reader.assignment("--set", assignment));
    return file == null
        ? new ConfigurationSource(reader, standard, mayBeMissing)
        : new ConfigurationSource(reader, file, false);
  }
}

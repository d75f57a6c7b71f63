package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.ConfigurationSource;
import io.hypersync.cli.config.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  private final Map<String, String> variables;
  private @Nullable ConfigurationReader reader;

  /** With the variables of this process. */
  ConfigurationOptions() {
    this(System.getenv());
  }

  ConfigurationOptions(Map<String, String> variables) {
    this.variables = variables;
  }

  /** Overrides a setting by a flag; does nothing if {@code text} is null, that is, not given. */
  void put(String flag, Setting<?> setting, @Nullable String text) {
    if (text != null) {
      reader().flag(flag, setting, text);
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

  /** Made when it is needed: a variable that is wrong must not stop the help of a command. */
  private ConfigurationReader reader() {
    ConfigurationReader made = reader;
    if (made == null) {
      made = new ConfigurationReader(variables);
      reader = made;
    }
    return made;
  }

  private ConfigurationSource source(Path standard, boolean mayBeMissing) {
    ConfigurationReader reader = reader();
    assignments.forEach(assignment -> reader.assignment("--set", assignment));
    return file == null
        ? new ConfigurationSource(reader, standard, mayBeMissing)
        : new ConfigurationSource(reader, file, false);
  }
}

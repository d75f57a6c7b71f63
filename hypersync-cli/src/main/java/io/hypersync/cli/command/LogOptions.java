package io.hypersync.cli.command;

import io.hypersync.cli.config.Settings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a daemon logs. */
final class LogOptions {
  @Option(
      names = "--log-format",
      paramLabel = "<text|json>",
      description = "How log lines are written, over hypersync.logging.format.")
  private @Nullable String format;

  /** Puts them over the configuration. */
  void put(ConfigurationOptions configuration) {
    configuration.put("--log-format", Settings.LOGGING_FORMAT, format);
  }
}

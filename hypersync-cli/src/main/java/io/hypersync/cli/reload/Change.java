package io.hypersync.cli.reload;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Masked;
import io.hypersync.cli.config.Setting;

/**
 * A setting that has another value than before.
 *
 * @param key its dotted key
 * @param before its value before, as TOML; empty if it had none, {@code unknown} if a reading has
 *     failed halfway since
 * @param after its value now, likewise
 */
public record Change(String key, String before, String after) {
  private static final String UNKNOWN = "unknown";

  /** Of one that may have had any value that it was ever to have. */
  static Change ofUnknown(Setting<?> setting, Configuration after) {
    return new Change(setting.key(), UNKNOWN, text(after, setting));
  }

  static Change of(Setting<?> setting, Configuration before, Configuration after) {
    return new Change(setting.key(), text(before, setting), text(after, setting));
  }

  private static <T> String text(Configuration configuration, Setting<T> setting) {
    return configuration
        .find(setting)
        .map(value -> Masked.text(setting.type().toToml().apply(value)))
        .orElse("");
  }
}

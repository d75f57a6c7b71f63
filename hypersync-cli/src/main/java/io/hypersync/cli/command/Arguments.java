package io.hypersync.cli.command;

import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Setting;

/** Parses values of flags by the same rules as values in the configuration file. */
final class Arguments {
  private Arguments() {}

  /**
   * Parses one value.
   *
   * @throws io.hypersync.runtime.admin.UserError naming the flag and what was expected
   */
  static <T> T parse(String flag, Setting<T> setting, String text) {
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag(flag, setting, text);
    return reader.withoutFile().get(setting);
  }
}

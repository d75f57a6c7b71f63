package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.runtime.admin.UserError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks of the configuration that leaders and workers share. */
final class Enabling {
  private static final Logger LOG = LoggerFactory.getLogger(Enabling.class);

  private Enabling() {}

  /**
   * Lets a daemon start, and logs what is ignored.
   *
   * @throws UserError if {@code hypersync.enabled} is false
   */
  static void check(Configuration configuration) {
    if (!configuration.get(Settings.ENABLED)) {
      throw new UserError(
          "HyperSync is switched off: hypersync.enabled is false",
          "Switch it on: --set hypersync.enabled=true",
          UserError.USAGE);
    }
    configuration.ignored().forEach(LOG::warn);
  }
}

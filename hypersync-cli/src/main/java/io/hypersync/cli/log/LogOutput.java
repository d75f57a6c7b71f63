package io.hypersync.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.LogFormat;
import io.hypersync.cli.config.LogLevel;
import io.hypersync.cli.config.Settings;
import org.slf4j.LoggerFactory;

/** How much this process logs, and in which form. Any thread. */
public final class LogOutput {
  /** The appender of {@code logback.xml}; where tests have another one, it is left alone. */
  private static final String APPENDER = "STDERR";

  private static volatile LogFormat format = LogFormat.TEXT;
  private static volatile LogLevel level = LogLevel.INFO;

  private LogOutput() {}

  /** From now on the log is as a configuration says. */
  public static void follow(Configuration configuration) {
    format = configuration.get(Settings.LOGGING_FORMAT);
    level = configuration.get(Settings.LOGGING_LEVEL);
    if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root
        && root.getAppender(APPENDER) != null) {
      root.setLevel(Level.valueOf(level.name()));
    }
  }

  /** How the log is written now: form and level. */
  public static String describe() {
    return format + " " + level;
  }

  /** The form of the lines that are written now. */
  static LogFormat format() {
    return format;
  }
}

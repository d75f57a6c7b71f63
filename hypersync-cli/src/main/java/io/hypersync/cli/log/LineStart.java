package io.hypersync.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * How a log line begins: with time and level; or, for the journal of systemd, which has its own
 * times, with the level as {@code sd-daemon(3)} spells it, which the journal takes away.
 */
public final class LineStart extends ClassicConverter {
  /** The launcher sets it if standard error is the journal. */
  static final String JOURNAL = "hypersync.log.journal";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final boolean isForJournal;

  /** Called by logback. */
  public LineStart() {
    this(Boolean.getBoolean(JOURNAL));
  }

  LineStart(boolean isForJournal) {
    this.isForJournal = isForJournal;
  }

  @Override
  public String convert(ILoggingEvent event) {
    Level level = event.getLevel();
    return isForJournal
        ? "<" + priority(level) + ">"
        : TIME.format(Instant.ofEpochMilli(event.getTimeStamp()))
            + String.format(Locale.ROOT, " %-5s ", level);
  }

  /** The priority of syslog. */
  static int priority(Level level) {
    if (level.isGreaterOrEqual(Level.ERROR)) {
      return 3;
    }
    if (level.isGreaterOrEqual(Level.WARN)) {
      return 4;
    }
    return level.isGreaterOrEqual(Level.INFO) ? 6 : 7;
  }
}

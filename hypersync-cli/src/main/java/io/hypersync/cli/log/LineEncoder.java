package io.hypersync.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.hypersync.cli.config.LogFormat;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.EventMarker;
import java.io.ByteArrayOutputStream;

/**
 * Writes an event as the pattern of {@code logback.xml} says, or as JSON, whichever is wanted; or
 * leaves it out, if there were too many like it. Any thread.
 */
public final class LineEncoder extends PatternLayoutEncoder {
  private final JsonLine json = new JsonLine();
  private final LineRates rates = new LineRates();
  private final Clock clock;

  /** Called by logback. */
  public LineEncoder() {
    this(Clock.SYSTEM);
  }

  LineEncoder(Clock clock) {
    this.clock = clock;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    if (!event.getLevel().isGreaterOrEqual(Level.INFO)) {
      return written(event); // somebody wants to see it all
    }
    long nowNs = clock.monotonicNs();
    long before = rates.admit(kind(event), nowNs);
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (LineRates.LeftOut each : rates.overdue(nowNs)) {
      lines.writeBytes(written(note(event, each.count() + " lines were left out: " + each.kind())));
    }
    if (before > 0) {
      lines.writeBytes(written(note(event, before + " lines like the next one were left out")));
    }
    if (before >= 0) {
      lines.writeBytes(written(event));
    }
    return lines.toByteArray();
  }

  private byte[] written(ILoggingEvent event) {
    return LogOutput.format() == LogFormat.JSON ? json.encode(event) : super.encode(event);
  }

  /** Lines of one event, or of one place in the program. */
  private static String kind(ILoggingEvent event) {
    EventMarker named = EventName.of(event);
    return named != null
        ? named.event().text()
        : event.getLoggerName() + ": " + String.valueOf(event.getMessage());
  }

  private static ILoggingEvent note(ILoggingEvent of, String text) {
    LoggingEvent note = new LoggingEvent();
    note.setLoggerName(of.getLoggerName());
    note.setThreadName(of.getThreadName());
    note.setLevel(of.getLevel());
    note.setTimeStamp(of.getTimeStamp());
    note.setMessage(text);
    return note;
  }
}

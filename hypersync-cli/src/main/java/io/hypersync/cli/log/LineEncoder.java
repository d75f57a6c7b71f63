package io.hypersync.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.hypersync.cli.config.LogFormat;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.EventMarker;
import io.hypersync.runtime.log.LogEvent;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
    Level level = event.getLevel();
    if (!level.isGreaterOrEqual(Level.INFO)) {
      return written(event); // somebody wants to see it all
    }
    long nowNs = clock.monotonicNs();
    EventMarker named = EventName.of(event);
    boolean isCounted = !level.isGreaterOrEqual(Level.ERROR); // nobody may miss those
    long before = isCounted ? rates.admit(kind(event, named), peer(named), nowNs) : 0;
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    add(isEnd(named) ? rates.pending() : rates.overdue(nowNs), lines);
    if (before > 0) {
      lines.writeBytes(written(note(before + " lines like the next one were left out")));
    }
    if (before >= 0) {
      lines.writeBytes(written(event));
    }
    return lines.toByteArray();
  }

  /** What is written last: what was left out and not said yet. */
  @Override
  public byte[] footerBytes() {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    add(rates.pending(), lines);
    byte[] footer = super.footerBytes();
    if (footer != null) {
      lines.writeBytes(footer);
    }
    return lines.toByteArray();
  }

  private void add(List<LineRates.LeftOut> leftOut, ByteArrayOutputStream lines) {
    for (LineRates.LeftOut each : leftOut) {
      lines.writeBytes(written(note(each.count() + " lines were left out: " + each.kind())));
    }
  }

  private byte[] written(ILoggingEvent event) {
    return LogOutput.format() == LogFormat.JSON ? json.encode(event) : super.encode(event);
  }

  /** Lines of one event, or of one place in the program. */
  private static String kind(ILoggingEvent event, @Nullable EventMarker named) {
    return named != null
        ? named.event().text()
        : event.getLoggerName() + ": " + String.valueOf(event.getMessage());
  }

  /** Which of several an event is about, so that one of them does not hide the others. */
  private static String peer(@Nullable EventMarker named) {
    if (named == null) {
      return "";
    }
    String worker = named.fields().get("worker");
    String peer = worker != null ? worker : named.fields().getOrDefault("agent", "");
    return peer.length() <= EventName.MAX_FIELD ? peer : peer.substring(0, EventName.MAX_FIELD);
  }

  /** Whether a daemon says nothing, or hardly anything, behind this. */
  private static boolean isEnd(@Nullable EventMarker named) {
    return named != null
        && (named.event() == LogEvent.STOPPING || named.event() == LogEvent.STOPPED);
  }

  private ILoggingEvent note(String text) {
    LoggingEvent note = new LoggingEvent();
    note.setLoggerName(LineRates.class.getName());
    note.setThreadName(Thread.currentThread().getName());
    note.setLevel(Level.WARN);
    note.setTimeStamp(TimeUnit.NANOSECONDS.toMillis(clock.epochNs()));
    note.setMessage(text);
    return note;
  }
}

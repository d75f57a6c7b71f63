package io.hypersync.cli.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.hypersync.cli.render.ProgramName;
import io.hypersync.model.text.Printable;

/**
 * Prints the message of a log event on one line, whatever text from outside it contains, so that
 * such text cannot forge a log line, or the event of one. Takes the place of {@code %msg} in {@code
 * logback.xml}.
 */
public final class PrintableMessage extends ClassicConverter {
  /** Longer messages are cut; no message of our own is that long. */
  static final int MAX_CHARS = 4_096;

  /** Called by logback. */
  public PrintableMessage() {}

  @Override
  public String convert(ILoggingEvent event) {
    return EventName.withoutEvents(
        Printable.line(ProgramName.in(String.valueOf(event.getFormattedMessage())), MAX_CHARS));
  }
}

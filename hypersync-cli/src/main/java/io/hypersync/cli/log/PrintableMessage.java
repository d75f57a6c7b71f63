package io.hypersync.cli.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.hypersync.model.text.Printable;

/**
 * The message of an event on one line, whoever chose a part of it: nobody begins a line of the log
 * but the log. In {@code logback.xml} it takes the place of {@code %msg}.
 */
public final class PrintableMessage extends ClassicConverter {
  /** No line of ours is that long. */
  static final int MAX_CHARS = 4_096;

  /** Made by logback. */
  public PrintableMessage() {}

  @Override
  public String convert(ILoggingEvent event) {
    return Printable.line(String.valueOf(event.getFormattedMessage()), MAX_CHARS);
  }
}

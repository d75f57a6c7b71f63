package io.hypersync.cli.log;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.hypersync.cli.config.LogFormat;

/** Writes an event as the pattern of {@code logback.xml} says, or as JSON, whichever is wanted. */
public final class LineEncoder extends PatternLayoutEncoder {
  private final JsonLine json = new JsonLine();

  /** Called by logback. */
  public LineEncoder() {}

  @Override
  public byte[] encode(ILoggingEvent event) {
    return LogOutput.format() == LogFormat.JSON ? json.encode(event) : super.encode(event);
  }
}

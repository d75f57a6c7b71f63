package io.hypersync.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.ProgramName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;

/** An event of the log as one line of JSON ({@code docs/logs.md}). Any thread. */
final class JsonLine {
  /** A stack trace is cut there, in characters. */
  private static final int MAX_TRACE = 16_384;

  private final boolean isForJournal;

  JsonLine() {
    this(Boolean.getBoolean(LineStart.JOURNAL));
  }

  JsonLine(boolean isForJournal) {
    this.isForJournal = isForJournal;
  }

  byte[] encode(ILoggingEvent event) {
    Level level = event.getLevel();
    String start = isForJournal ? "<" + LineStart.priority(level) + ">" : "";
    // Jackson escapes control characters, so a line feed of a message ends no line.
    return (start + json(event) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static ObjectNode json(ILoggingEvent event) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("ts", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    json.put("level", event.getLevel().toString().toLowerCase(Locale.ROOT));
    json.put("message", cut(ProgramName.in(String.valueOf(event.getFormattedMessage()))));
    json.put("logger", simpleName(event.getLoggerName()));
    json.put("thread", event.getThreadName());
    if (event.getThrowableProxy() != null) {
      String trace = ThrowableProxyUtil.asString(event.getThrowableProxy());
      json.put("trace", trace.substring(0, Math.min(trace.length(), MAX_TRACE)));
    }
    return json;
  }

  private static String cut(String message) {
    return message.length() <= PrintableMessage.MAX_CHARS
        ? message
        : message.substring(0, PrintableMessage.MAX_CHARS);
  }

  private static String simpleName(String logger) {
    return logger.substring(logger.lastIndexOf('.') + 1);
  }
}

package io.hypersync.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.ProgramName;
import io.hypersync.runtime.log.EventMarker;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An event of the log as one line of JSON ({@code docs/logs.md}). Any thread. */
final class JsonLine {
  /** A stack trace is cut there, in characters. */
  private static final int MAX_TRACE = 16_384;

  private static final int REPLACEMENT_CHARACTER = 0xfffd;

  /** ASCII only, so that nothing in a message can do anything to a terminal. */
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

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
    return (start + text(json(event)) + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(ObjectNode json) {
    try {
      return MAPPER.writeValueAsString(json).replace("\u007f", "\\u007f");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of text and objects is JSON", e);
    }
  }

  private static ObjectNode json(ILoggingEvent event) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    EventMarker named = EventName.of(event);
    json.put("ts", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    json.put("level", event.getLevel().toString().toLowerCase(Locale.ROOT));
    json.put("event", named == null ? null : named.event().text());
    json.put(
        "message",
        cut(
            ProgramName.in(String.valueOf(event.getFormattedMessage())),
            PrintableMessage.MAX_CHARS));
    ObjectNode fields = json.putObject("fields");
    if (named != null) {
      named.fields().forEach((key, value) -> fields.put(key, cut(value, EventName.MAX_FIELD)));
    }
    json.put("logger", simpleName(event.getLoggerName()));
    json.put("thread", whole(String.valueOf(event.getThreadName())));
    String trace = trace(event);
    if (trace != null) {
      json.put("trace", trace);
    }
    return json;
  }

  private static @Nullable String trace(ILoggingEvent event) {
    if (event.getThrowableProxy() == null) {
      return null;
    }
    String mistake = PrintableTrace.mistake(event.getThrowableProxy());
    return cut(
        mistake != null ? mistake : ThrowableProxyUtil.asString(event.getThrowableProxy()),
        MAX_TRACE);
  }

  /** At most so many characters, none of them cut through. */
  private static String cut(String text, int most) {
    if (text.length() <= most) {
      return whole(text);
    }
    boolean isWithinPair = Character.isSurrogatePair(text.charAt(most - 1), text.charAt(most));
    return whole(text.substring(0, isWithinPair ? most - 1 : most));
  }

  /** Half a character is a name that somebody has made up, and no JSON for strict programs. */
  private static String whole(String text) {
    if (text.chars().noneMatch(each -> Character.isSurrogate((char) each))) {
      return text;
    }
    StringBuilder whole = new StringBuilder(text.length());
    text.codePoints()
        .map(
            point ->
                Character.getType(point) == Character.SURROGATE ? REPLACEMENT_CHARACTER : point)
        .forEach(whole::appendCodePoint);
    return whole.toString();
  }

  private static String simpleName(String logger) {
    return logger.substring(logger.lastIndexOf('.') + 1);
  }
}

package io.hypersync.cli.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.log.EventMarker;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/** The name of the event that a line is about, and its fields, behind the text of the line. */
public final class EventName extends ClassicConverter {
  /** Longer values are cut. */
  static final int MAX_FIELD = 512;

  /** Called by logback. */
  public EventName() {}

  @Override
  public String convert(ILoggingEvent event) {
    EventMarker marker = of(event);
    if (marker == null) {
      return "";
    }
    StringBuilder text = new StringBuilder(" event=").append(marker.event().text());
    for (Map.Entry<String, String> field : marker.fields().entrySet()) {
      text.append(' ').append(field.getKey()).append('=').append(quoted(field.getValue()));
    }
    return text.toString();
  }

  /** The event of a line; null if it is about none that has a name. */
  static @Nullable EventMarker of(ILoggingEvent event) {
    List<Marker> markers = event.getMarkerList();
    if (markers == null) {
      return null;
    }
    for (Marker marker : markers) {
      if (marker instanceof EventMarker named) {
        return named;
      }
    }
    return null;
  }

  /** What others have written must not look like the event of a line. */
  static String withoutEvents(String text) {
    return text.replace("event=", "event\\x3d");
  }

  private static String quoted(String value) {
    String line = withoutEvents(Printable.line(value, MAX_FIELD));
    return line.indexOf(' ') < 0 && line.indexOf('"') < 0
        ? line
        : '"' + line.replace("\"", "'") + '"';
  }
}

package io.hypersync.runtime.log;

import java.io.Serial;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Marker;

/** What a line of the log is about: an event, and fields of it. Immutable. */
public final class EventMarker implements Marker {
  @Serial private static final long serialVersionUID = 1L;

  private final LogEvent event;

  /** Linked, so that a line has them in the order in which they were given. */
  private final LinkedHashMap<String, String> fields;

  EventMarker(LogEvent event, Map<String, String> fields) {
    this.event = event;
    this.fields = new LinkedHashMap<>(fields);
  }

  /** Returns the same event with one more field. */
  public EventMarker with(String key, Object value) {
    EventMarker more = new EventMarker(event, fields);
    var _ = more.fields.put(key, String.valueOf(value));
    return more;
  }

  /** The event. */
  public LogEvent event() {
    return event;
  }

  /** The fields, in the order in which they were given. */
  public Map<String, String> fields() {
    return Collections.unmodifiableMap(fields);
  }

  @Override
  public String getName() {
    return event.text();
  }

  @Override
  public void add(Marker reference) {
    throw new UnsupportedOperationException("an event has no other");
  }

  @Override
  public boolean remove(Marker reference) {
    return false;
  }

  @Override
  @SuppressWarnings("deprecation") // the interface still asks for it
  public boolean hasChildren() {
    return false;
  }

  @Override
  public boolean hasReferences() {
    return false;
  }

  @Override
  public Iterator<Marker> iterator() {
    return Collections.emptyIterator();
  }

  @Override
  public boolean contains(Marker other) {
    return equals(other);
  }

  @Override
  public boolean contains(String name) {
    return getName().equals(name);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EventMarker marker
        && event == marker.event
        && fields.equals(marker.fields);
  }

  @Override
  public int hashCode() {
    return 31 * event.hashCode() + fields.hashCode();
  }

  @Override
  public String toString() {
    return getName();
  }
}

package io.hypersync.leader.reservation;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads the reservations of one project page by page (hypersync.md 10.3). One of Agent Mail's
 * servers gives 20 at a time, or as many as are asked for, up to 250. The other one knows no pages:
 * it gives all at once, or refuses to be asked for a page. Bounded, whatever a server answers.
 */
public final class ReservationPages {
  /** How many are asked for at a time. */
  static final int PAGE = 250;

  /** The most that are kept; what is beyond is not read. */
  static final int MOST = 20_000;

  private final String project;
  private final List<Reservation> reservations = new ArrayList<>();

  /** What was read, to notice a server that gives the same page for ever. */
  private final Set<JsonNode> seen = new HashSet<>();

  private boolean hasPages = true;
  private boolean isDone;
  private int read;
  private long damaged;
  private long unusable;
  private long unread;

  /**
   * Nothing was read yet.
   *
   * @param project its absolute path, as agents name it
   */
  public ReservationPages(String project) {
    this.project = project;
  }

  /** Whether all was read. */
  public boolean isDone() {
    return isDone;
  }

  /** What is to be read next. */
  public String uri() {
    String all =
        "resource://file_reservations/" + escaped(project) + "?active_only=true&format=json";
    return hasPages ? all + "&limit=" + PAGE + "&offset=" + read : all;
  }

  /**
   * The server has refused to give it.
   *
   * @return whether it is to be asked again in another way
   */
  public boolean refused() {
    boolean mayBeForPages = hasPages && read == 0;
    hasPages = false;
    return mayBeForPages;
  }

  /**
   * What it has given.
   *
   * @return false if that is no list of reservations
   */
  public boolean page(JsonNode page) {
    if (!page.isArray()) {
      return false;
    }
    boolean isNew = false;
    for (JsonNode record : page) {
      if (read >= MOST) {
        unread++;
        continue;
      }
      JsonNode id = record.path("id");
      if (!id.isNumber() || seen.add(id)) {
        isNew = true;
        read++;
        add(record);
      }
    }
    isDone = !hasPages || page.size() < PAGE || page.size() > PAGE || !isNew || read >= MOST;
    return true;
  }

  private void add(JsonNode record) {
    switch (ReservationRecord.of(record, project)) {
      case ReservationRecord.Held(Reservation held) -> reservations.add(held);
      case ReservationRecord.Released _ -> {} // a moment ago
      case ReservationRecord.Unusable _ -> unusable++;
      case ReservationRecord.Malformed _ -> damaged++;
    }
  }

  /** What was read so far. */
  public List<Reservation> reservations() {
    return List.copyOf(reservations);
  }

  /** How many records were read. */
  public long read() {
    return read;
  }

  /** How many make no sense. */
  public long damaged() {
    return damaged;
  }

  /** How many tell of what is no file of a project. */
  public long unusable() {
    return unusable;
  }

  /** How many are left out because there are too many. */
  public long unread() {
    return unread;
  }

  /** As a part of a URI. */
  private static String escaped(String path) {
    StringBuilder text = new StringBuilder();
    for (byte value : path.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) Byte.toUnsignedInt(value);
      boolean isPlain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '-'
              || c == '_'
              || c == '.';
      if (isPlain) {
        text.append(c);
      } else {
        text.append('%')
            .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
            .append(Character.toUpperCase(Character.forDigit(c & 0xf, 16)));
      }
    }
    return text.toString();
  }
}

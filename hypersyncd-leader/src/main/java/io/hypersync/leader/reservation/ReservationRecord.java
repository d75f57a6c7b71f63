package io.hypersync.leader.reservation;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.pattern.PathPattern;
import java.io.IOException;

/**
 * What one file of Agent Mail's archive, or its server, says (hypersync.md 10.3). Both servers are
 * understood. Anybody who can write into the archive writes these files, so nothing in them makes
 * reading fail.
 */
public sealed interface ReservationRecord {
  /** The longest file that is read, in bytes. */
  int MAX_BYTES = 64 << 10;

  /** A reservation that was not released. It may have expired. */
  record Held(Reservation reservation) implements ReservationRecord {}

  /**
   * A reservation that was released.
   *
   * @param id as in {@link Reservation}
   */
  record Released(long id) implements ReservationRecord {}

  /** A reservation of something that is no file, or of files that no pattern of ours can name. */
  record Unusable(String why) implements ReservationRecord {}

  /** Not a record, or not all of one: it may be in the middle of being written. */
  record Malformed(String why) implements ReservationRecord {}

  /** Reads the content of a file. */
  static ReservationRecord read(byte[] content) {
    if (content.length > MAX_BYTES) {
      return new Unusable("a file of " + content.length + " bytes");
    }
    try {
      JsonNode record = Fields.MAPPER.readTree(content);
      return record != null && record.isObject()
          ? Fields.of(record)
          : new Malformed("no JSON object");
    } catch (IOException | IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage()); // which has a part of the file in it
      return new Malformed(why.substring(0, Math.min(why.length(), 100)));
    }
  }

  /**
   * Reads what Agent Mail's server tells of a reservation.
   *
   * @param record the same fields, but for the project, which was asked for
   */
  static ReservationRecord of(JsonNode record, String project) {
    if (!(record instanceof ObjectNode fields)) {
      return new Malformed("no JSON object");
    }
    try {
      return Fields.of(fields.deepCopy().put("project", project));
    } catch (IllegalArgumentException e) {
      return new Malformed(String.valueOf(e.getMessage()));
    }
  }

  /** Reads the fields of a record. */
  final class Fields {
    private static final ObjectMapper MAPPER =
        new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Fields() {}

    private static ReservationRecord of(JsonNode record) {
      long id = record.path("id").canConvertToLong() ? record.path("id").longValue() : -1;
      if (isReleased(record.path("released_ts"))) {
        return new Released(id);
      }
      String written = text(record, "path_pattern", "path");
      String project = withoutLastSlash(text(record, "project", "project"));
      if (isVirtual(written)) {
        return new Unusable("no path");
      }
      PathPattern pattern = PathPattern.of(relative(written, project));
      if (pattern == null) {
        return new Unusable("no pattern of paths below the project");
      }
      return new Held(
          new Reservation(
              id,
              record.path("db_generation").asText(""),
              project,
              new Holder(
                  text(record, "agent", "agent_name"),
                  written,
                  isExclusive(record.path("exclusive"))),
              pattern,
              ReservationTimes.epochNs(record.path("expires_ts"))));
    }

    private static String text(JsonNode record, String name, String otherName) {
      JsonNode value = record.path(name);
      value = value.isTextual() ? value : record.path(otherName);
      if (!value.isTextual()) {
        throw new IllegalArgumentException("a record without " + name);
      }
      return value.textValue();
    }

    private static boolean isReleased(JsonNode time) {
      return switch (time.getNodeType()) {
        case STRING -> !time.textValue().isBlank();
        case NUMBER -> time.doubleValue() != 0;
        case BOOLEAN -> time.booleanValue();
        default -> false;
      };
    }

    private static boolean isExclusive(JsonNode value) {
      return value.isNumber() ? value.doubleValue() != 0 : value.asBoolean(true);
    }

    private static boolean isVirtual(String pattern) {
      return pattern.startsWith("tool://")
          || pattern.startsWith("resource://")
          || pattern.startsWith("service://");
    }

    private static String withoutLastSlash(String path) {
      int end = path.length();
      while (end > 1 && path.charAt(end - 1) == '/') {
        end--;
      }
      return path.substring(0, end);
    }

    /** One of the two servers keeps patterns that begin at the root of the host. */
    private static String relative(String pattern, String project) {
      return pattern.startsWith(project + "/") ? pattern.substring(project.length()) : pattern;
    }
  }
}

package io.hypersync.leader.reservation;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;

/** Times as records of reservations have them. */
final class ReservationTimes {
  private static final long NS_PER_S = 1_000_000_000L;
  private static final long NS_PER_US = 1_000;

  private ReservationTimes() {}

  /**
   * A time in nanoseconds since 1970: a text of RFC 3339, in UTC if it has no zone, or a whole
   * number of microseconds. One that is too far away is the last, or the first, there is.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  static long epochNs(JsonNode time) {
    if (time.isIntegralNumber()) {
      return time.canConvertToLong()
          ? saturated(time.longValue(), NS_PER_US, 0)
          : (long) time.doubleValue(); // which is the last or the first, too
    }
    if (!time.isTextual()) {
      throw new IllegalArgumentException("a time that is neither text nor a number");
    }
    try {
      TemporalAccessor read =
          DateTimeFormatter.ISO_DATE_TIME.parseBest(
              time.textValue().strip().replace(' ', 'T'),
              OffsetDateTime::from,
              LocalDateTime::from);
      Instant instant =
          read instanceof OffsetDateTime zoned
              ? zoned.toInstant()
              : LocalDateTime.from(read).toInstant(ZoneOffset.UTC);
      return saturated(instant.getEpochSecond(), NS_PER_S, instant.getNano());
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("a time that cannot be read", e);
    }
  }

  private static long saturated(long units, long nsEach, long ns) {
    try {
      return Math.addExact(Math.multiplyExact(units, nsEach), ns);
    } catch (ArithmeticException e) {
      return units < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }
}

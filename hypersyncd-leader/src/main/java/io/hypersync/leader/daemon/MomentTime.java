package io.hypersync.leader.daemon;

import io.hypersync.runtime.admin.UserError;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads times, as requests name states by them: RFC 3339, or how long ago. */
public final class MomentTime {
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final Pattern AGO = Pattern.compile("([0-9]{1,9})([smhd])");

  private MomentTime() {}

  /** Whether a word says how long ago. */
  static boolean isAgo(String word) {
    return AGO.matcher(word).matches();
  }

  /**
   * The time that a word means, in nanoseconds since 1970.
   *
   * @param nowNs what "ago" is counted from, in nanoseconds since 1970
   * @throws UserError if it is no time
   */
  public static long ns(String word, long nowNs) {
    Matcher ago = AGO.matcher(word);
    if (ago.matches()) {
      long unit =
          switch (ago.group(2)) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3_600;
            default -> 86_400;
          };
      // Up to 2.7 million years: counted in seconds, and no state is older than 1970.
      long seconds = nowNs / NS_PER_SECOND - Long.parseLong(ago.group(1)) * unit;
      return Math.max(0, seconds) * NS_PER_SECOND;
    }
    try {
      Instant time = OffsetDateTime.parse(word).toInstant();
      long most = Long.MAX_VALUE / NS_PER_SECOND - 1;
      return Math.clamp(time.getEpochSecond(), 0, most) * NS_PER_SECOND + time.getNano();
    } catch (DateTimeException e) {
      throw new UserError(
          "\"" + word + "\" is no state of the workspace",
          "Give a snapshot's name, the index of an entry, a time such as 2026-01-31T09:00:00Z, how"
              + " long ago such as 10m, or head.\n"
              + "The snapshots: ./hypersync snapshot list",
          UserError.USAGE);
    }
  }
}

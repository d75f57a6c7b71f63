package io.hypersync.leader.reservation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which files of a project's folder count. Agent Mail writes a reservation into two files. One is
 * named by its pattern, {@code <sha1>.json}, and the last reservation of that pattern is in it. The
 * other is named by its number, {@code id-<id>.json} or {@code id-<id>-g<generation>.json}. Early
 * versions have written the first one only.
 */
public final class ArchiveFiles {
  private static final Pattern BY_ID =
      Pattern.compile("id-([0-9]{1,18})(?:-g[0-9a-f]{1,64})?\\.json");
  private static final Pattern BY_PATTERN = Pattern.compile("[0-9a-f]{40}\\.json");

  private ArchiveFiles() {}

  /** Whether a file of this name has a reservation in it. */
  public static boolean isReservation(String name) {
    return BY_ID.matcher(name).matches() || BY_PATTERN.matcher(name).matches();
  }

  /**
   * The reservations of a folder that were not released.
   *
   * @param records all its files, by name; a file that cannot be read now is there, too, with what
   *     it was before
   */
  public static List<Reservation> reservations(Map<String, ReservationRecord> records) {
    Set<Long> ids = new HashSet<>();
    for (String name : records.keySet()) {
      Matcher byId = BY_ID.matcher(name);
      if (byId.matches()) {
        ids.add(Long.parseLong(byId.group(1)));
      }
    }
    List<Reservation> reservations = new ArrayList<>();
    records.forEach(
        (name, record) -> {
          if (record instanceof ReservationRecord.Held(Reservation held)
              && (BY_ID.matcher(name).matches() || !ids.contains(held.id()))) {
            reservations.add(held);
          }
        });
    return reservations;
  }
}

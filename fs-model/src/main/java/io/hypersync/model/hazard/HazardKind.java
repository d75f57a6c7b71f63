package io.hypersync.model.hazard;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * In which way a mutation is in conflict with another one (hypersync.md 11.1), or with what another
 * agent has reserved (10.3).
 */
public enum HazardKind {
  /** Both change the same bytes of a file. */
  OVERLAPPING_WRITE(1),
  /** One renames or replaces what the other has renamed or written. */
  CONCURRENT_RENAME(2),
  /** A file is written that has lost its last name by the other one. */
  WRITE_AFTER_UNLINK(3),
  /** A path is changed that another agent holds exclusively, by one who does not hold it. */
  WRITE_INTO_RESERVATION(4),
  /** A path is changed by one of two agents that hold it, at least one of them exclusively. */
  RESERVED_BY_TWO(5);

  private final int code;

  HazardKind(int code) {
    this.code = code;
  }

  /** Its number in log entries, 1 to 255; never used for anything else. */
  public int code() {
    return code;
  }

  /** Whether the conflict is with a reservation, and not with an earlier entry. */
  public boolean isOfReservations() {
    return this == WRITE_INTO_RESERVATION || this == RESERVED_BY_TWO;
  }

  /** The kind with this number, or null. */
  public static @Nullable HazardKind of(int code) {
    for (HazardKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }

  /** In reports: the name in lower case. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}

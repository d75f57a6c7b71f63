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
  RESERVED_BY_TWO(5),
  /** Bytes are written over what another agent has written, by one who has not read that. */
  STALE_OVERWRITE(6),
  /** A file is removed or replaced that another agent has written and nobody has committed. */
  DESTROYED_WORK(7),
  /** An advice: a new symbolic link leads out of the workspace (7.1.1). */
  SYMLINK_LEAVES(8);

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

  /** Whether nobody else is concerned: the author is told what may be not what it wants. */
  public boolean isAdvice() {
    return this == SYMLINK_LEAVES;
  }

  /** Whether the conflict is with an earlier entry. */
  public boolean isOverlap() {
    return !isOfReservations() && !isAdvice();
  }

  /** How much it matters, in reports: {@code warning} or {@code advice}. */
  public String severity() {
    return isAdvice() ? "advice" : "warning";
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

package io.hypersync.model.hazard;

import io.hypersync.model.id.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What the leader has decided of an entry's work beside its hazards, because reservations and paths
 * are not in the log. A leader that starts needs it to know what others may overlap with.
 *
 * @param firstReserved whether the author had reserved what the call has changed first
 * @param secondReserved the same of what it has changed second: where a rename leads to
 * @param recorded the {@code .git} directory of a repository whose branches the entry has moved;
 *     null if it has not
 */
public record WorkNotes(boolean firstReserved, boolean secondReserved, @Nullable NodeId recorded) {
  /** Nothing is to be said. */
  public static final WorkNotes NONE = new WorkNotes(false, false, null);

  /** Whether the author had reserved what the call has changed first, at 0, or second, at 1. */
  public boolean isReserved(int change) {
    return change == 0 ? firstReserved : secondReserved;
  }
}

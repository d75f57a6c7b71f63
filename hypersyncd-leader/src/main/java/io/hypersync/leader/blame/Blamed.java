package io.hypersync.leader.blame;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.history.NamePlace;
import org.jspecify.annotations.Nullable;

/**
 * One change of what is at a path, or was.
 *
 * @param timeNs nanoseconds since 1970
 * @param op the name of the op
 * @param what what it was to the path
 * @param place the name that the op has changed, or by which its node was known then; null for the
 *     root, and if that is not known
 * @param other the other name of a move; null if it is none
 */
public record Blamed(
    long index,
    long timeNs,
    Author author,
    String op,
    What what,
    @Nullable NamePlace place,
    @Nullable NamePlace other) {
  /** What a change was to the path. */
  public enum What {
    /** What is there was made. */
    MADE,
    /** Content or attributes were changed. */
    CHANGED,
    /** It was moved there, or was moved before it came there; {@code other} is the old name. */
    MOVED,
    /** It was moved away; {@code other} is the new name. */
    MOVED_AWAY,
    /** It got the name beside another one. */
    LINKED,
    /** It was removed. */
    REMOVED,
    /** A name in the directory was made, removed or moved. */
    ENTRY,
    /** Everything was restored by one entry; what was before is not looked at. */
    ALL_RESTORED
  }
}

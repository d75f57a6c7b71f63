package io.hypersync.model.undo;

import org.jspecify.annotations.Nullable;

/**
 * A path that an undo leaves as it is, or changes only because it was told to.
 *
 * @param path from the root of the workspace, without a leading slash, printable
 * @param what what of it would have been undone
 * @param why why it is contested
 * @param other who has changed it, at last; null if that is not one entry
 * @param isForced whether it is undone all the same
 */
public record Contested(
    String path, What what, Why why, @Nullable Toucher other, boolean isForced) {
  /** What of a path is contested. */
  public enum What {
    /** Whether the path exists, and what it leads to. */
    NAME,
    /** Content, mode, owner, time or attributes of the file or directory. */
    CONTENT
  }

  /** Why a path is contested. */
  public enum Why {
    /** Somebody else has changed it since. */
    CHANGED_SINCE,
    /** The agent has made the directory, but there are things in it that are left. */
    HAS_OTHERS,
    /** The directory in which it was is not there any more. */
    DIRECTORY_GONE,
    /** What is there would be lost, and was not made by the agent. */
    WOULD_BE_LOST,
    /** It goes with another path, which is left. */
    RESTS_ON_LEFT
  }
}

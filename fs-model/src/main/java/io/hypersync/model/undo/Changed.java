package io.hypersync.model.undo;

import org.jspecify.annotations.Nullable;

/**
 * One thing that the agent has changed: a name, a node, where a node is, or the time of a
 * directory. Not thread-safe.
 *
 * @param <T> what it may have been before
 */
final class Changed<T> {
  private final @Nullable T before;
  private final long firstIndex;
  private @Nullable Toucher other;

  /**
   * A thing that the agent changes for the first time.
   *
   * @param before what it was; null if it was not there
   * @param firstIndex the entry
   */
  Changed(@Nullable T before, long firstIndex) {
    this.before = before;
    this.firstIndex = firstIndex;
  }

  /** What it was before the agent's first change; null if it was not there. */
  @Nullable T before() {
    return before;
  }

  /** The agent's first entry that has changed it. */
  long firstIndex() {
    return firstIndex;
  }

  /** Somebody else has changed it since. */
  void touchedBy(Toucher toucher) {
    other = toucher;
  }

  /** Who else has changed it since the agent's first change, at last; null if nobody has. */
  @Nullable Toucher other() {
    return other;
  }
}

package io.hypersync.worker.daemon.inotify;

import io.hypersync.worker.inotify.VisibleEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Entries on their way from the agent's thread to the planner's. The agent never waits here: when
 * there are too many, the oldest are dropped, which the planner finds out from the indexes.
 */
final class VisibleEntries {
  private static final int CAPACITY = 8_192;

  /** Nobody takes them while nothing is watched; so many are kept for a watch that turns up. */
  private static final int IDLE_CAPACITY = 4_096;

  private final ArrayDeque<VisibleEntry> entries = new ArrayDeque<>();

  /** Adds one. */
  synchronized void add(VisibleEntry entry, boolean watched) {
    entries.addLast(entry);
    while (entries.size() > (watched ? CAPACITY : IDLE_CAPACITY)) {
      entries.removeFirst();
    }
  }

  /** Takes all. */
  synchronized List<VisibleEntry> take() {
    List<VisibleEntry> taken = new ArrayList<>(entries);
    entries.clear();
    return taken;
  }
}

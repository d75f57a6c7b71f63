package io.hypersync.worker.daemon.inotify;

import io.hypersync.worker.inotify.VisibleEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Entries on their way from the agent's thread to the planner's. The agent never waits here: when
 * the queue is full the oldest entries are dropped, which the planner sees from the gap in the
 * indexes.
 */
final class VisibleEntries {
  private static final int CAPACITY = 8_192;

  /** Capacity while nothing is watched and nothing drains the queue: kept for a watch to come. */
  private static final int IDLE_CAPACITY = 4_096;

  private final ArrayDeque<VisibleEntry> entries = new ArrayDeque<>();

  /** Adds an entry; {@code watched} says whether anything is watched. */
  synchronized void add(VisibleEntry entry, boolean watched) {
    entries.addLast(entry);
    while (entries.size() > (watched ? CAPACITY : IDLE_CAPACITY)) {
      entries.removeFirst();
    }
  }

  /** Removes and returns all entries. */
  synchronized List<VisibleEntry> take() {
    List<VisibleEntry> taken = new ArrayList<>(entries);
    entries.clear();
    return taken;
  }
}

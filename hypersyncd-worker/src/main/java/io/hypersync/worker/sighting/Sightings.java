package io.hypersync.worker.sighting;

import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Notes when each agent of this host has had a file open for reading last. The kernel answers reads
 * from its own cache, so only opening and closing a file is seen here; whoever has it open may read
 * anything.
 *
 * <p>What is not known counts as read: what was before this worker's start, what callers without a
 * name have read, and notes that were given up because there are too many. So an agent that is said
 * not to have read something has not, unless it did on another host or was handed the bytes by
 * somebody else.
 *
 * <p>Thread-safe. Bounded: {@link #MOST_FILES} notes, and one for each file that is open.
 */
public final class Sightings {
  /** Files of which something is noted, besides those that are open. */
  static final int MOST_FILES = 32_768;

  /** Agents of which something is noted for one file. */
  static final int MOST_AGENTS = 32;

  /** Stands for all callers whose agent is not known. */
  private static final String ANYBODY = "";

  private final LongSupplier visible;

  /** For each file, by agent: the newest entry that the agent may have seen. */
  private final LinkedHashMap<NodeId, Map<String, Long>> seen = new LinkedHashMap<>();

  /** For each file that is open for reading, by agent: how often. */
  private final Map<NodeId, Map<String, Integer>> open = new HashMap<>();

  /** Anybody may have read anything up to this entry. */
  private long floor;

  /**
   * Nothing was read yet.
   *
   * @param visible the newest entry that the mount shows
   */
  public Sightings(LongSupplier visible) {
    this.visible = visible;
    this.floor = visible.getAsLong();
  }

  /** An agent opens a file for reading. */
  public synchronized void opened(NodeId file, CallerAgent agent) {
    String reader = name(agent);
    open.computeIfAbsent(file, _ -> new HashMap<>(2)).merge(reader, 1, Integer::sum);
    note(file, reader);
  }

  /** What an agent had opened is closed. */
  public synchronized void closed(NodeId file, CallerAgent agent) {
    String reader = name(agent);
    Map<String, Integer> readers = open.get(file);
    if (readers != null) {
      readers.computeIfPresent(reader, (_, count) -> count == 1 ? null : count - 1);
      if (readers.isEmpty()) {
        open.remove(file);
      }
    }
    note(file, reader);
  }

  private void note(NodeId file, String reader) {
    long now = visible.getAsLong();
    Map<String, Long> readers = seen.remove(file);
    if (readers == null) {
      readers = new HashMap<>(2);
    }
    if (readers.size() >= MOST_AGENTS && !readers.containsKey(reader)) {
      long newest = newest(readers);
      readers.clear();
      readers.put(ANYBODY, newest);
    }
    readers.merge(reader, now, Math::max);
    seen.put(file, readers);
    if (seen.size() > MOST_FILES) {
      Map.Entry<NodeId, Map<String, Long>> oldest = seen.pollFirstEntry();
      floor = Math.max(floor, newest(oldest.getValue()));
    }
  }

  private static long newest(Map<String, Long> readers) {
    return readers.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /**
   * The newest entry whose state an agent may have read of a file, as in {@link CallContext}: not
   * known for callers without a name, nor while the agent may be reading it.
   */
  public synchronized long seen(NodeId file, CallerAgent agent) {
    if (agent.name().isEmpty()) {
      return CallContext.NOT_KNOWN;
    }
    String reader = name(agent);
    Map<String, Integer> readers = open.getOrDefault(file, Map.of());
    if (readers.containsKey(reader) || readers.containsKey(ANYBODY)) {
      return CallContext.NOT_KNOWN;
    }
    Map<String, Long> known = seen.getOrDefault(file, Map.of());
    return Math.max(
        floor, Math.max(known.getOrDefault(reader, 0L), known.getOrDefault(ANYBODY, 0L)));
  }

  /** Names of ASCII letters are the same in either case ({@code Author}). */
  private static String name(CallerAgent agent) {
    return agent.name().isEmpty() ? ANYBODY : agent.name().toLowerCase(Locale.ROOT);
  }

  /** How many files something is noted of. */
  synchronized int size() {
    return seen.size();
  }
}

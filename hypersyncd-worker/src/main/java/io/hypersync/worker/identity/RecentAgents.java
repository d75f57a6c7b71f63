package io.hypersync.worker.identity;

import io.hypersync.model.hazard.Author;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The agents that have changed something lately. Bounded: the one seen last goes first. */
public final class RecentAgents {
  private final int limit;
  private final ConcurrentHashMap<String, Row> rows = new ConcurrentHashMap<>();
  private final LongAdder unnamed = new LongAdder();

  private static final class Row {
    final LongAdder calls = new LongAdder();
    volatile long lastNs;
  }

  /**
   * An agent.
   *
   * @param calls its calls that were to change something, since it is in the list
   * @param lastNs when it made the last one, by the monotonic clock
   */
  public record Seen(String name, long calls, long lastNs) {}

  /**
   * Creates an empty list.
   *
   * @param limit how many agents it holds at most
   */
  public RecentAgents(int limit) {
    this.limit = limit;
  }

  /** A call of an agent; of none if the name is empty. Any thread. */
  public void note(String name, long nowNs) {
    if (name.isEmpty()) {
      unnamed.increment();
      return;
    }
    Row row = rows.get(name);
    if (row == null) {
      row = add(name, nowNs);
    }
    row.calls.increment();
    row.lastNs = nowNs;
  }

  private synchronized Row add(String name, long nowNs) {
    Row row = rows.computeIfAbsent(name, _ -> new Row());
    row.lastNs = nowNs;
    while (rows.size() > limit) {
      var _ = rows.remove(list().getLast().name());
    }
    return row;
  }

  /** The agents, who was seen last first. */
  public List<Seen> list() {
    return rows.entrySet().stream()
        .map(row -> new Seen(row.getKey(), row.getValue().calls.sum(), row.getValue().lastNs))
        .sorted(Comparator.comparingLong((Seen seen) -> -seen.lastNs()).thenComparing(Seen::name))
        .toList();
  }

  /** Whether an agent is in the list. Letters of ASCII are the same in either case. Any thread. */
  public boolean has(String name) {
    return rows.containsKey(name)
        || rows.keySet().stream().anyMatch(known -> Author.isSameAgent(known, name));
  }

  /** How many agents were seen at this time of the monotonic clock or later. Any thread. */
  public int countSince(long sinceNs) {
    int count = 0;
    for (Row row : rows.values()) {
      if (row.lastNs - sinceNs >= 0) {
        count++;
      }
    }
    return count;
  }

  /** Calls of processes without a name. */
  public long unnamed() {
    return unnamed.sum();
  }
}

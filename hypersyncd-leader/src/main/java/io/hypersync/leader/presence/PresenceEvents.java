package io.hypersync.leader.presence;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.Clock;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The latest events of all workers, and how many there were. On the agent's thread. */
public final class PresenceEvents {
  /** How many events are remembered. */
  public static final int MAX = 1_000;

  private static final int MAX_REASON = 300;

  private final Clock clock;
  private final ArrayDeque<PresenceEvent> latest = new ArrayDeque<>();
  private final Map<PresenceEvent.Kind, Long> counts = new EnumMap<>(PresenceEvent.Kind.class);
  private Consumer<PresenceEvent> listener = _ -> {};
  private long newest;

  PresenceEvents(Clock clock) {
    this.clock = clock;
  }

  void add(PresenceEvent.Kind kind, WorkerId worker, long session, String address, String reason) {
    newest++;
    counts.merge(kind, 1L, Long::sum);
    if (latest.size() == MAX) {
      latest.removeFirst();
    }
    PresenceEvent event =
        new PresenceEvent(newest, clock.epochNs(), kind, worker, session, address, bounded(reason));
    latest.addLast(event);
    listener.accept(event);
  }

  /**
   * From now on tells of each event as it happens.
   *
   * @param follower called on the agent's thread; must not block
   */
  public void follow(Consumer<PresenceEvent> follower) {
    listener = follower;
  }

  /** The beginning of a text that may come from a worker. */
  static String bounded(String text) {
    return text.length() > MAX_REASON ? text.substring(0, MAX_REASON) : text;
  }

  /** The number of the newest event; 0 if there was none. */
  public long newest() {
    return newest;
  }

  /** The remembered events behind this number, oldest first. */
  public List<PresenceEvent> after(long number) {
    return latest.stream().filter(event -> event.number() > number).toList();
  }

  /** How many events of a kind there were since the leader started. */
  public long count(PresenceEvent.Kind kind) {
    return counts.getOrDefault(kind, 0L);
  }
}

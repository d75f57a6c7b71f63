package io.hypersync.leader.session;

import io.hypersync.wire.message.WorkerMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts what workers say, by kind of message (hypersync.md 9.5). On the agent's thread. */
public final class ReceivedMessages {
  /** Boxes of one, so that counting allocates nothing. */
  private final Map<Class<?>, long[]> counts = new HashMap<>();

  /** One more. */
  public void add(WorkerMessage message) {
    counts.computeIfAbsent(message.getClass(), _ -> new long[1])[0]++;
  }

  /** How many there were of each kind that has come, by its name. */
  public Map<String, Long> byName() {
    Map<String, Long> named = new TreeMap<>();
    counts.forEach((kind, count) -> named.put(kind.getSimpleName(), count[0]));
    return named;
  }
}

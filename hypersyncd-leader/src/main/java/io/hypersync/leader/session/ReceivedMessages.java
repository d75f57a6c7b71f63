package io.hypersync.leader.session;

import io.hypersync.wire.message.WorkerMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts messages of workers by kind (hypersync.md 9.5). On the agent's thread. */
public final class ReceivedMessages {
  /** Arrays of one element, so that counting does not allocate. */
  private final Map<Class<?>, long[]> counts = new HashMap<>();

  /** Counts one message. */
  public void add(WorkerMessage message) {
    counts.computeIfAbsent(message.getClass(), _ -> new long[1])[0]++;
  }

  /** Counts by message name; kinds that never arrived are missing. */
  public Map<String, Long> byName() {
    Map<String, Long> named = new TreeMap<>();
    counts.forEach((kind, count) -> named.put(kind.getSimpleName(), count[0]));
    return named;
  }
}

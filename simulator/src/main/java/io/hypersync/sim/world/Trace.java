package io.hypersync.sim.world;

import java.util.ArrayDeque;
import java.util.List;

/** The last events of a history, for messages, and a fingerprint of all events. */
public final class Trace {
  private static final int KEPT = 120;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private record Line(long timeNs, String what) {}

  private final ArrayDeque<Line> last = new ArrayDeque<>();
  private long fingerprint;

  /** Records an event. */
  public void note(long timeNs, String what) {
    if (last.size() == KEPT) {
      last.removeFirst();
    }
    last.addLast(new Line(timeNs, what));
    fingerprint = (fingerprint ^ timeNs ^ what.hashCode()) * MULTIPLIER + 1;
  }

  /** The last events, oldest first, each with its time in milliseconds. */
  public List<String> lines() {
    return last.stream()
        .map(line -> String.format("%12.3f ms  %s", line.timeNs / 1e6, line.what))
        .toList();
  }

  /** Hash of all events: equal for two histories with the same events. */
  public long fingerprint() {
    return fingerprint;
  }
}

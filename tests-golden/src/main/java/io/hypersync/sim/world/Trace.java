package io.hypersync.sim.world;

import java.util.ArrayDeque;
import java.util.List;

/** The last events of a history for people, and a fingerprint of all of them. */
public final class Trace {
  private static final int KEPT = 120;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private record Line(long timeNs, String what) {}

  private final ArrayDeque<Line> last = new ArrayDeque<>();
  private long fingerprint;

  /** Notes an event. */
  public void note(long timeNs, String what) {
    if (last.size() == KEPT) {
      last.removeFirst();
    }
    last.addLast(new Line(timeNs, what));
    fingerprint = (fingerprint ^ timeNs ^ what.hashCode()) * MULTIPLIER + 1;
  }

  /** The last events, oldest first, with the time in milliseconds. */
  public List<String> lines() {
    return last.stream()
        .map(line -> String.format("%12.3f ms  %s", line.timeNs / 1e6, line.what))
        .toList();
  }

  /** Equal for two histories that went the same way. */
  public long fingerprint() {
    return fingerprint;
  }
}

package io.hypersync.leader.session;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Workers that have disconnected or were refused: since when, and why (hypersync.md 16). Bounded to
 * the newest, so refused certificate holders cannot grow it. On the agent's thread.
 */
public final class DisconnectedWorkers {
  /** How many workers are remembered. */
  public static final int MAX = 64;

  private static final int MAX_REASON = 300;

  private final Map<WorkerId, Absence> byWorker = new LinkedHashMap<>();
  private long sessionsEstablished;

  /** Why the worker is absent. */
  public enum Kind {
    /** Its connection has ended. */
    LEFT,
    /** Refused for a reason that persists until somebody intervenes. */
    REFUSED,
    /** Refused because another connection of the same worker is alive. */
    DUPLICATE,
    /** Refused because it has applied another log than this one. */
    DIVERGED,
    /** Its certificate was revoked. */
    REVOKED;

    /** The kind that a refusal leads to. */
    public static Kind of(Reason reason) {
      return switch (reason) {
        case DUPLICATE -> DUPLICATE;
        case DIVERGED -> DIVERGED;
        case SESSION_REPLACED -> LEFT;
        case REVOKED -> REVOKED;
        case PROTOCOL_VERSION, WORKSPACE, IDENTITY, PROTOCOL_ERROR -> REFUSED;
      };
    }
  }

  /**
   * One absent worker.
   *
   * @param address the address it connected from
   * @param reason human-readable
   * @param sinceNs since when it has been in this state, of the monotonic clock
   * @param lastNs when it was last refused or disconnected: a refused worker tries again
   * @param times how often that happened, 1 or more
   * @param appliedIndex its last reported applied index; 0 if it never reported one
   */
  public record Absence(
      WorkerId worker,
      Kind kind,
      String address,
      String reason,
      long sinceNs,
      long lastNs,
      int times,
      long appliedIndex) {}

  /** A worker's Hello was accepted: it is not absent any more. */
  public void established(WorkerId worker) {
    sessionsEstablished++;
    byWorker.remove(worker);
  }

  /**
   * A connection of a worker has ended, or was refused.
   *
   * @return the worker's updated row
   */
  public Absence add(
      WorkerId worker, Kind kind, String address, String reason, long appliedIndex, long nowNs) {
    Absence before = byWorker.remove(worker);
    boolean goesOn = before != null && before.kind == kind && kind != Kind.LEFT;
    Absence absence =
        new Absence(
            worker,
            kind,
            address,
            printable(reason),
            goesOn ? before.sinceNs : nowNs,
            nowNs,
            goesOn ? Math.min(before.times, Integer.MAX_VALUE - 1) + 1 : 1,
            appliedIndex);
    byWorker.put(worker, absence);
    if (byWorker.size() > MAX) {
      byWorker.remove(byWorker.keySet().iterator().next());
    }
    return absence;
  }

  /**
   * Truncates the reason and replaces everything but printable ASCII: it may contain text from the
   * worker, which must not reach a terminal unfiltered.
   */
  private static String printable(String reason) {
    String all = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    return all.replaceAll("[^ -~]", "?");
  }

  /** All remembered workers, newest first. */
  public List<Absence> newestFirst() {
    List<Absence> all = new ArrayList<>(byWorker.values());
    Collections.reverse(all);
    return all;
  }

  /** How many Hellos were accepted since the leader started. */
  public long sessionsEstablished() {
    return sessionsEstablished;
  }
}

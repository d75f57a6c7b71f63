package io.hypersync.leader.session;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which workers were here and are not any more, or were not let in: since when, and why
 * (hypersync.md 16). The newest only, whatever strangers with certificates do. On the agent's
 * thread.
 */
public final class AbsentWorkers {
  /** How many are remembered. */
  public static final int MAX = 64;

  private static final int MAX_REASON = 300;

  private final Map<WorkerId, Absence> byWorker = new LinkedHashMap<>();
  private long greeted;

  /** How it ended. */
  public enum Kind {
    /** Its connection is gone. */
    LEFT,
    /** It was refused for a reason that trying again will not change, unless somebody acts. */
    REFUSED,
    /** Another connection of this name is alive. */
    DUPLICATE,
    /** It has applied another log than this one. */
    DIVERGED;

    /** That of a refusal. */
    public static Kind of(Reason reason) {
      return switch (reason) {
        case DUPLICATE -> DUPLICATE;
        case DIVERGED -> DIVERGED;
        case PROTOCOL_VERSION, WORKSPACE, IDENTITY, PROTOCOL_ERROR -> REFUSED;
      };
    }
  }

  /**
   * One of them.
   *
   * @param address where it came from
   * @param reason for people
   * @param sinceNs since when it is so; of the monotonic clock
   * @param lastNs when that happened last: who is refused tries again
   * @param times how often, from 1
   * @param appliedIndex how far it said to be; 0 if it never did
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

  /** A worker was let in. */
  public void greeted(WorkerId worker) {
    greeted++;
    byWorker.remove(worker);
  }

  /**
   * A connection of a worker has ended, or was refused.
   *
   * @return what is known of it now
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

  /** What a worker says may be in it, which a terminal must not see as it is. */
  private static String printable(String reason) {
    String all = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    return all.replaceAll("[^ -~]", "?");
  }

  /** All that are remembered, newest first. */
  public List<Absence> newestFirst() {
    List<Absence> all = new ArrayList<>(byWorker.values());
    Collections.reverse(all);
    return all;
  }

  /** How often a worker was let in since the leader's start. */
  public long everGreeted() {
    return greeted;
  }
}

package io.hypersync.leader.scrub;

import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurn;
import io.hypersync.runtime.background.BackgroundTurns;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a scrub runs: when somebody asks for one, and every interval if there is one. There
 * is one at a time; who asks during a run is given that one. Runs have numbers, 1, 2, 3, ... from
 * the start of the leader on. Not thread-safe.
 */
public final class ScrubSchedule {
  /** How many runs that have ended are remembered. */
  private static final int MOST_ENDED = 16;

  private final ScrubPolicy policy;
  private final BackgroundTurns turns;
  private final Deque<Ended> ended = new ArrayDeque<>();
  private long nextNs;
  private long endedCount;
  private long failedCount;
  private boolean isAsked;
  private boolean isRunning;
  private @Nullable Result last;

  /**
   * A run that has ended.
   *
   * @param failure why it was given up; null if it was not
   */
  public record Ended(long number, @Nullable String failure) {}

  /**
   * What a run has found that was not given up.
   *
   * @param files which files of the newest state need what is lost; the first ones
   */
  public record Result(
      long number, ScrubReport report, List<LostFiles.LostFile> files, long tookNs) {}

  /**
   * A schedule on which nothing runs yet.
   *
   * @param turns whose turn it is; a run that was asked for does not wait for it
   * @param nowNs monotonic; the first run is due after one interval
   */
  public ScrubSchedule(ScrubPolicy policy, BackgroundTurns turns, long nowNs) {
    this.policy = policy;
    this.turns = turns;
    this.nextNs = nowNs + policy.intervalNs();
  }

  /** Asks for a run; returns the number that it has, or of the one that is under way. */
  public long ask() {
    isAsked |= !isRunning;
    return endedCount + 1;
  }

  /** Whether a run begins now: then {@link #ended} or {@link #failed} must follow. */
  public boolean begins(long nowNs) {
    boolean isDue = policy.intervalNs() > 0 && nowNs - nextNs >= 0;
    if (isRunning || !(isAsked || (isDue && turns.begins(BackgroundJob.SCRUB)))) {
      return false;
    }
    isAsked = false;
    isRunning = true;
    return true;
  }

  /** The number of the run that is under way, or of the next one. */
  public long number() {
    return endedCount + 1;
  }

  /** The run has come to its end. */
  public void ended(ScrubReport report, List<LostFiles.LostFile> files, long tookNs, long nowNs) {
    last = new Result(number(), report, files, tookNs);
    over(null, nowNs);
  }

  /** The run was given up; the next one is due after an interval. */
  public void failed(String why, long nowNs) {
    failedCount++;
    over(why, nowNs);
  }

  /** It is another replica's turn: the run was given up, and the next one is due at once. */
  public void putOff(long nowNs) {
    over(BackgroundTurn.OF_OTHERS, nowNs);
    nextNs = nowNs;
  }

  private void over(@Nullable String failure, long nowNs) {
    isRunning = false;
    turns.ended(BackgroundJob.SCRUB);
    nextNs = nowNs + policy.intervalNs();
    ended.addLast(new Ended(number(), failure));
    if (ended.size() > MOST_ENDED) {
      ended.removeFirst();
    }
    endedCount++;
  }

  /** Whether one is under way, or about to begin. */
  public boolean isRunning() {
    return isRunning || isAsked;
  }

  /** How many have ended. */
  public long endedSoFar() {
    return endedCount;
  }

  /** How many of those were given up. */
  public long failedSoFar() {
    return failedCount;
  }

  /** Why the last one was given up; null if it was not. */
  public @Nullable String lastFailure() {
    Ended newest = ended.peekLast();
    return newest == null ? null : newest.failure;
  }

  /** The last ones that have ended, the oldest first. */
  public Collection<Ended> endedRuns() {
    return List.copyOf(ended);
  }

  /** What the last one that came to its end has found; null before that. */
  public @Nullable Result last() {
    return last;
  }
}

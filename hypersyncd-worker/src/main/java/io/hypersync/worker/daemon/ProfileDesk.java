package io.hypersync.worker.daemon;

import io.hypersync.model.state.FsState;
import io.hypersync.wire.agent.Clock;
import io.hypersync.wire.stages.StageHistograms;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.profile.Profile;
import io.hypersync.worker.profile.ProfileResult;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The profile that somebody has had started, if there is one (hypersync.md 17, Phase 0). It lives
 * as long as it is asked for: whoever started it and is gone costs nothing for long. On the agent's
 * thread.
 */
final class ProfileDesk {
  /** The id of no profile. */
  static final long NONE = 0;

  /** A profile that is not asked for so long ends. */
  static final long LEASE_NS = 10_000_000_000L;

  private final Clock clock;
  private long lastId;
  private @Nullable Running running;

  /** A profile, and what was so when it began. */
  private static final class Running {
    private final long id;
    private final Profile profile;
    private final StageHistograms<WorkerStage> stages;
    private final Map<FuseOpcode, Long> requests;
    private final long fsyncsElided;
    private long untilNs;

    Running(long id, FsState state, Map<FuseOpcode, Long> requests, long fsyncsElided, long nowNs) {
      this.id = id;
      this.profile = new Profile(state, nowNs);
      this.stages = new StageHistograms<>(WorkerStage.class, WorkerStage.TOTAL, nowNs);
      this.requests = requests;
      this.fsyncsElided = fsyncsElided;
      this.untilNs = nowNs + LEASE_NS;
    }
  }

  /**
   * What a profile was.
   *
   * @param requests of the kernel when it began
   * @param fsyncsElided when it began
   */
  record Ended(
      ProfileResult result,
      StageHistograms<WorkerStage> stages,
      Map<FuseOpcode, Long> requests,
      long fsyncsElided) {}

  ProfileDesk(Clock clock) {
    this.clock = clock;
  }

  /** Begins one; returns its id, or {@link #NONE} if there is one. */
  long start(FsState state, Map<FuseOpcode, Long> requests, long fsyncsElided) {
    long nowNs = clock.monotonicNs();
    expire(nowNs);
    if (running != null) {
      return NONE;
    }
    lastId++;
    running = new Running(lastId, state, requests, fsyncsElided, nowNs);
    return lastId;
  }

  /** Somebody still waits for it; false if it has ended. */
  boolean keep(long id) {
    Running kept = find(id);
    if (kept != null) {
      kept.untilNs = clock.monotonicNs() + LEASE_NS;
    }
    return kept != null;
  }

  /** Ends it; null if it has ended before. */
  @Nullable Ended stop(long id, FsState state) {
    Running ending = find(id);
    if (ending == null) {
      return null;
    }
    running = null;
    return new Ended(
        ending.profile.end(state, clock.monotonicNs()),
        ending.stages,
        ending.requests,
        ending.fsyncsElided);
  }

  /** A mutation has ended, then. */
  void add(FinishedMutation finished, long nowNs) {
    expire(nowNs);
    Running current = running;
    if (current == null) {
      return;
    }
    current.profile.add(finished, nowNs);
    if (finished.entry() != null) {
      WorkerStages.add(current.stages, finished, nowNs);
    }
  }

  private @Nullable Running find(long id) {
    expire(clock.monotonicNs());
    Running current = running;
    return current != null && current.id == id ? current : null;
  }

  private void expire(long nowNs) {
    if (running != null && nowNs - running.untilNs > 0) {
      running = null;
    }
  }
}

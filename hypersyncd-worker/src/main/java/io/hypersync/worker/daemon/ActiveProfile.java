package io.hypersync.worker.daemon;

import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.stages.StageHistograms;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.profile.Profile;
import io.hypersync.worker.profile.ProfileResult;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one profile that may be running on this mount (hypersync.md 17, Phase 0). It has a lease of
 * {@link #LEASE_NS}, renewed by {@link #keep}, so that a profile whose command was killed soon
 * ends. On the agent's thread.
 */
final class ActiveProfile {
  /** Stands for no profile; ids begin at 1. */
  static final long NONE = 0;

  /** A profile that is not renewed for this long ends. */
  static final long LEASE_NS = 10_000_000_000L;

  private final Clock clock;
  private long lastId;
  private @Nullable Running running;

  /** A running profile, with the counters at its start. */
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
   * A finished profile.
   *
   * @param requests the kernel's requests by opcode, as counted when it began
   * @param fsyncsElided the fsync counter when it began
   */
  record Ended(
      ProfileResult result,
      StageHistograms<WorkerStage> stages,
      Map<FuseOpcode, Long> requests,
      long fsyncsElided) {}

  ActiveProfile(Clock clock) {
    this.clock = clock;
  }

  /** Starts a profile; returns its id, or {@link #NONE} if another one is running. */
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

  /** Renews the lease; false if the profile has ended. */
  boolean keep(long id) {
    Running kept = find(id);
    if (kept != null) {
      kept.untilNs = clock.monotonicNs() + LEASE_NS;
    }
    return kept != null;
  }

  /** Ends a profile and returns its result; null if it has ended already. */
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

  /** Adds a mutation that ended at {@code nowNs} to the running profile, if there is one. */
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

package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.scrub.LostFiles;
import io.hypersync.leader.scrub.LostFiles.LostFile;
import io.hypersync.leader.scrub.ScrubPolicy;
import io.hypersync.leader.scrub.ScrubPort;
import io.hypersync.leader.scrub.ScrubReport;
import io.hypersync.leader.scrub.ScrubRun;
import io.hypersync.leader.scrub.ScrubSchedule;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.SleepingRateLimit;
import io.hypersync.snapshot.Snapshot;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrubs on a thread of its own, at a limited rate. It only reads: what is bad it tells the agent,
 * which asks workers for it.
 *
 * <p>Every wait ends at once when the leader stops: for the agent, for a snapshot, for the rate,
 * for workers.
 */
final class ScrubThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ScrubThread.class);
  private static final long NS_PER_MS = 1_000_000;
  private static final long TICK_S = 1;

  /** How often others are told how far a run is. */
  private static final long PROGRESS_NS = 200_000_000L;

  private final BackgroundTurns turns;
  private final LeaderGate gate;
  private final ChunkStore chunks;
  private final WorkspaceId workspace;
  private final Clock clock;
  private final SleepingRateLimit limit;
  private final SnapshotAccess access;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("leader-scrub").daemon().factory());

  /** Guarded by itself. */
  private final ScrubSchedule schedule;

  private volatile @Nullable ScrubReport progress;

  /**
   * Scrubs one leader's store.
   *
   * @param turns whose turn it is to scrub
   * @param gate no run begins unless this process leads
   * @param ask runs a question on the agent's thread; throws RejectedExecutionException if that has
   *     ended
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   * @param ended completes when the agent answers nothing any more
   */
  ScrubThread(
      ScrubPolicy policy,
      BackgroundTurns turns,
      LeaderGate gate,
      ChunkStore chunks,
      WorkspaceId workspace,
      Clock clock,
      Consumer<Consumer<LeaderAgent>> ask,
      Consumer<Consumer<LeaderAgent>> post,
      CompletableFuture<Void> ended) {
    this.turns = turns;
    this.gate = gate;
    this.chunks = chunks;
    this.workspace = workspace;
    this.clock = clock;
    this.access = new SnapshotAccess(ask, post, ended);
    this.limit = new SleepingRateLimit(policy.bytesPerSecond(), clock, access::pause);
    this.schedule = new ScrubSchedule(policy, turns, clock.monotonicNs());
  }

  /** Scrubs from now on, when it is time. */
  void start() {
    ScheduledFuture<?> _ =
        thread.scheduleWithFixedDelay(this::scrubIfItIsTime, TICK_S, TICK_S, TimeUnit.SECONDS);
  }

  /**
   * Asks for a run; returns the number that it has, or of the one that is under way.
   *
   * @throws UserError if the leader stops
   */
  long ask() {
    long number;
    synchronized (schedule) {
      number = schedule.ask();
    }
    try {
      thread.execute(this::scrubIfItIsTime);
    } catch (RejectedExecutionException e) {
      throw SnapshotAccess.stops();
    }
    return number;
  }

  /** Reads the schedule. */
  <T> T look(Function<ScrubSchedule, T> question) {
    synchronized (schedule) {
      return question.apply(schedule);
    }
  }

  /** What the run under way has found so far; null if there is none, or it has only begun. */
  @Nullable ScrubReport progress() {
    return progress;
  }

  private void scrubIfItIsTime() {
    synchronized (schedule) {
      if (access.isStopped() || !gate.isLeader() || !schedule.begins(clock.monotonicNs())) {
        return;
      }
    }
    String why = "internal error";
    try {
      scrub();
      return;
    } catch (RejectedExecutionException e) {
      why = "the leader stops";
    } catch (UserError e) {
      why = e.message();
    } catch (ChunkStoreException e) {
      why = String.valueOf(e.getMessage());
    } catch (RuntimeException | Error e) { // somebody waits for the end of the run
      LOG.error("internal error while the store was scrubbed", e);
      why = "internal error: " + e;
    } finally {
      progress = null;
    }
    if (!access.isStopped()) {
      LOG.warn("the scrub was given up: {}", why);
    }
    synchronized (schedule) {
      schedule.failed(why, clock.monotonicNs());
    }
  }

  private void scrub() {
    long beganNs = clock.monotonicNs();
    var _ = access.takeNewest();
    List<Snapshot> all = access.all();
    ScrubRun run =
        new ScrubRun(
            new Surroundings(),
            all,
            workspace,
            HeapBudget.mostScrubbedPages(),
            HeapBudget.mostScrubbedChunks(),
            limit);
    try {
      if (!read(run)) {
        LOG.info("the scrub is put off: another replica works in the background");
        synchronized (schedule) {
          schedule.putOff(clock.monotonicNs());
        }
        return;
      }
      List<LostFile> files = files(run);
      ScrubReport report = run.report();
      long nowNs = clock.monotonicNs();
      log(report, nowNs - beganNs);
      progress = null;
      synchronized (schedule) {
        schedule.ended(report, files, nowNs - beganNs, nowNs);
      }
    } finally {
      run.end();
    }
  }

  /** Reads until the end; false if it is another replica's turn meanwhile. */
  private boolean read(ScrubRun run) {
    long toldNs = clock.monotonicNs();
    progress = run.report();
    while (!run.isDone()) {
      access.requireRunning();
      if (!turns.goesOn(BackgroundJob.SCRUB)) {
        return false;
      }
      long nowNs = clock.monotonicNs();
      if (nowNs - toldNs >= PROGRESS_NS) {
        toldNs = nowNs;
        progress = run.report();
      }
      long idleNs = run.step(nowNs);
      if (idleNs > 0) {
        access.pause(Duration.ofNanos(Math.clamp(idleNs, NS_PER_MS, PROGRESS_NS)));
      }
    }
    return true;
  }

  private List<LostFile> files(ScrubRun run) {
    if (run.lostChunks().isEmpty()) {
      return List.of();
    }
    try {
      return LostFiles.of(
          access.await(leader -> leader.sequencer().head()),
          run.lostChunks(),
          access::requireRunning);
    } catch (PageUnreadableException e) {
      LOG.warn("which files have lost chunks is not known: {}", e.getMessage());
      return List.of();
    }
  }

  private static void log(ScrubReport report, long tookNs) {
    LOG.info(
        LogEvent.SCRUB.marker(),
        "scrub: {} chunks and {} pages of {} snapshots, {} bytes, in {} ms; {} were bad, {} mended",
        report.chunks(),
        report.pages(),
        report.snapshots(),
        report.bytes(),
        tookNs / NS_PER_MS,
        report.bad(),
        report.mended());
    if (report.lostCount() > 0) {
      LOG.warn(
          LogEvent.CONTENT_LOST.marker(),
          "scrub: {} chunks and pages are lost, no connected worker has them: ./hypersync scrub"
              + " lists them",
          report.lostCount());
    }
  }

  /** The store and the agent. */
  private final class Surroundings implements ScrubPort {
    private @Nullable SnapshotHold held;

    @Override
    public byte @Nullable [] read(Hash hash) {
      return chunks.getVerifiedFromDisk(hash);
    }

    @Override
    public boolean lost(Hash hash) {
      return access.await(
          leader -> {
            if (leader.recovery().isHopeless(hash, clock.monotonicNs())) {
              return true;
            }
            leader.chunkUnreadable(hash);
            return false;
          });
    }

    @Override
    public boolean hold(long index) {
      held = access.hold(index);
      return held != null;
    }

    /**
     * The state first, then a snapshot that is as new: what is only in the log of that state is
     * stored for it. What others overwrite meanwhile, no collection removes: older snapshots have
     * it, or the log mentions it.
     */
    @Override
    public @Nullable Iterator<Node> head() {
      FsState state = access.await(leader -> leader.sequencer().head());
      try {
        var _ = access.takeNewest();
      } catch (UserError e) {
        access.requireRunning();
        LOG.warn("the chunks below lost pages are not read: {}", e.message());
        return null;
      }
      return state.nodes().iterator();
    }

    @Override
    public void release(long index) {
      SnapshotHold hold = held;
      if (hold != null) {
        access.release(hold);
      }
    }
  }

  /**
   * Ends a run that is under way, and waits for the read that it is in. To be called before the
   * chunk store is closed.
   */
  @Override
  public void close() {
    access.stop();
    thread.close();
  }
}

package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
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
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.SleepingRateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  private final ChunkStore chunks;
  private final WorkspaceId workspace;
  private final Clock clock;
  private final SleepingRateLimit limit;
  private final AgentQueries<LeaderAgent> agent;
  private final Consumer<Consumer<LeaderAgent>> post;

  /** Completes when nothing is to be waited for any more. */
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("leader-scrub").daemon().factory());

  /** Guarded by itself. */
  private final ScrubSchedule schedule;

  private volatile @Nullable ScrubReport progress;

  /**
   * Scrubs one leader's store.
   *
   * @param ask runs a question on the agent's thread; throws RejectedExecutionException if that has
   *     ended
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   * @param ended completes when the agent answers nothing any more
   */
  ScrubThread(
      ScrubPolicy policy,
      ChunkStore chunks,
      WorkspaceId workspace,
      Clock clock,
      Consumer<Consumer<LeaderAgent>> ask,
      Consumer<Consumer<LeaderAgent>> post,
      CompletableFuture<Void> ended) {
    this.chunks = chunks;
    this.workspace = workspace;
    this.clock = clock;
    this.post = post;
    this.limit = new SleepingRateLimit(policy.bytesPerSecond(), clock, this::pause);
    this.schedule = new ScrubSchedule(policy, clock.monotonicNs());
    this.agent = new AgentQueries<>("the leader", ask, stopped, Duration.ofDays(1));
    var _ = ended.whenComplete((_, _) -> stopped.complete(null));
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
      throw stops();
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
      if (stopped.isDone() || !schedule.begins(clock.monotonicNs())) {
        return;
      }
    }
    String why = "internal error";
    try {
      scrub();
      return;
    } catch (InterruptedException e) {
      why = "interrupted";
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
    if (!stopped.isDone()) {
      LOG.warn("the scrub was given up: {}", why);
    }
    synchronized (schedule) {
      schedule.failed(why, clock.monotonicNs());
    }
  }

  private void scrub() throws InterruptedException {
    long beganNs = clock.monotonicNs();
    takeSnapshot();
    List<Snapshot> all = agent.await(leader -> List.copyOf(leader.snapshots().all()));
    ScrubRun run =
        new ScrubRun(
            new Surroundings(),
            all,
            workspace,
            HeapBudget.mostScrubbedPages(),
            HeapBudget.mostScrubbedChunks(),
            limit);
    try {
      read(run);
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

  /**
   * Takes a snapshot, unless the newest one is that of the newest state. So what only the log has
   * is stored first, and is not taken for lost.
   */
  private void takeSnapshot() throws InterruptedException {
    CompletableFuture<SnapshotManager.Answer> answer = new CompletableFuture<>();
    var _ =
        agent.await(
            leader -> {
              leader.snapshots().take("", answer::complete);
              return true;
            });
    if (awaited(answer) instanceof SnapshotManager.Answer.Failed(String why)) {
      throw new UserError("no snapshot of the newest state could be taken: " + why, "");
    }
  }

  private <T> T awaited(CompletableFuture<T> answer) throws InterruptedException {
    try {
      var _ = CompletableFuture.anyOf(answer, stopped).get();
      if (answer.isDone()) {
        return answer.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("both are only completed", e);
    }
    throw stops();
  }

  private void read(ScrubRun run) {
    long toldNs = clock.monotonicNs();
    progress = run.report();
    while (!run.isDone()) {
      requireRunning();
      long nowNs = clock.monotonicNs();
      if (nowNs - toldNs >= PROGRESS_NS) {
        toldNs = nowNs;
        progress = run.report();
      }
      long idleNs = run.step(nowNs);
      if (idleNs > 0) {
        pause(Duration.ofNanos(Math.clamp(idleNs, NS_PER_MS, PROGRESS_NS)));
      }
    }
  }

  private List<LostFile> files(ScrubRun run) throws InterruptedException {
    if (run.lostChunks().isEmpty()) {
      return List.of();
    }
    return LostFiles.of(
        agent.await(leader -> leader.sequencer().head()), run.lostChunks(), this::requireRunning);
  }

  private static void log(ScrubReport report, long tookNs) {
    LOG.info(
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
          "scrub: {} chunks and pages are lost, no connected worker has them: ./hypersync scrub"
              + " lists them",
          report.lostCount());
    }
  }

  private void requireRunning() {
    if (stopped.isDone()) {
      throw stops();
    }
  }

  private static UserError stops() {
    return new UserError("the leader stops", "");
  }

  /** Waits, but not if the leader stops. */
  private void pause(Duration time) {
    try {
      var _ = stopped.get(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("it is only completed", e);
    }
    throw stops();
  }

  /** The store and the agent. */
  private final class Surroundings implements ScrubPort {
    private SnapshotHold held = new SnapshotHold(0);

    @Override
    public byte @Nullable [] read(Hash hash) {
      return chunks.getVerifiedFromDisk(hash);
    }

    @Override
    public boolean lost(Hash hash) {
      return await(
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
      SnapshotHold hold = new SnapshotHold(index);
      held = hold;
      return await(
          leader -> {
            boolean isHeld = hold.begin(leader.snapshots());
            hold.releaseLog(leader.snapshots());
            return isHeld;
          });
    }

    /**
     * The state first, then a snapshot that is as new: what is only in the log of that state is
     * stored for it. What others overwrite meanwhile, no collection removes: older snapshots have
     * it, or the log mentions it.
     */
    @Override
    public @Nullable Iterator<Node> head() {
      FsState state = await(leader -> leader.sequencer().head());
      try {
        takeSnapshot();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw stops();
      } catch (UserError e) {
        requireRunning();
        LOG.warn("the chunks below lost pages are not read: {}", e.message());
        return null;
      }
      return state.nodes().iterator();
    }

    @Override
    public void release(long index) {
      SnapshotHold hold = held;
      post.accept(leader -> hold.end(leader.snapshots()));
    }

    private <T> T await(Function<LeaderAgent, T> question) {
      try {
        return agent.await(question);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw stops();
      }
    }
  }

  /**
   * Ends a run that is under way, and waits for the read that it is in. To be called before the
   * chunk store is closed.
   */
  @Override
  public void close() {
    stopped.complete(null);
    thread.close();
  }
}

package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.BegunCollection;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.collection.CollectionTask;
import io.hypersync.leader.port.CollectionPort;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.model.errno.Errno;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.background.TurnOverException;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.memory.HeapRoom;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SleepingRateLimit;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects dead chunks on a thread of its own, at a limited rate. */
final class CollectionThread implements CollectionPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CollectionThread.class);
  private static final long BYTES_PER_SECOND = 32L << 20;

  private final LeaderChunks begins;
  private final CollectionTask.Environment environment;
  private final CollectionOptions options;
  private final LongSupplier roomForMarks;
  private final Consumer<Consumer<CollectionManager>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-collection").daemon().factory());

  /**
   * Written by the thread that begins runs, before the agent hears of it; the agent gives it to the
   * thread of this class, or none.
   */
  private final BegunCollection begunRun = new BegunCollection();

  private volatile long begunNs;
  private volatile String progress = "";
  private volatile boolean stopping;

  /**
   * Collects in one leader.
   *
   * @param begins begins runs in the order of arriving chunks
   * @param environment for a limit of the rate
   * @param turns whose turn it is to collect
   * @param roomForMarks how much heap may be taken to mark what is alive, in bytes; any thread
   * @param post hands an answer to the manager, on the agent's thread
   */
  CollectionThread(
      LeaderChunks begins,
      Function<RateLimit, CollectionTask.Environment> environment,
      CollectionOptions options,
      BackgroundTurns turns,
      LongSupplier roomForMarks,
      Consumer<Consumer<CollectionManager>> post) {
    this.begins = begins;
    this.options = options;
    this.roomForMarks = roomForMarks;
    this.post = post;
    RateLimit slow = new SleepingRateLimit(BYTES_PER_SECOND, Clock.SYSTEM);
    this.environment =
        environment.apply(
            bytes -> {
              if (stopping) {
                throw new ChunkStoreException(Errno.EAGAIN, "the leader stops");
              }
              if (!turns.goesOn(BackgroundJob.COLLECTION)) {
                throw new TurnOverException();
              }
              slow.spend(bytes);
            });
  }

  /** The figures of the store are read from the disk, so not on the agent's thread. */
  @Override
  public void begin() {
    try {
      thread.execute(this::beginIfThereIsRoom);
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  private void beginIfThereIsRoom() {
    String why;
    try {
      long chunks = environment.chunks().stats().approximateChunks();
      why = HeapRoom.whyNoCollection("the leader", chunks, roomForMarks.getAsLong());
    } catch (ChunkStoreException e) {
      answer(failed(String.valueOf(e.getMessage())));
      return;
    } catch (RuntimeException | Error e) { // somebody waits for an answer
      LOG.error("internal error when a collection was to begin", e);
      answer(failed("internal error: " + e));
      return;
    }
    if (!why.isEmpty()) {
      // An exhausted heap would end the leader. It is tried again later: there may be more room.
      answer(failed(why));
      return;
    }
    begins.beginCollection(
        options,
        begun -> {
          begunRun.begun(begun);
          begunNs = System.nanoTime();
          answer(CollectionManager::begun);
        },
        failure -> answer(failed(failure)));
  }

  @Override
  public void collect(CollectionRoots roots) {
    CollectionRun begun = begunRun.take();
    try {
      thread.execute(() -> answer(result(begun, roots)));
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
      begun.close();
    }
  }

  @Override
  public void abandon() {
    begunRun.take().close(); // does no I/O
  }

  private void answer(Consumer<CollectionManager> answer) {
    post.accept(answer);
  }

  private Consumer<CollectionManager> failed(String why) {
    return manager -> manager.failed(why, environment.mark().through(), Clock.SYSTEM.monotonicNs());
  }

  /** Does all steps and always gives an answer: nothing else is begun until it arrives. */
  private Consumer<CollectionManager> result(CollectionRun begun, CollectionRoots roots) {
    try {
      CollectionReport report = collected(begun, roots);
      return manager -> manager.ended(report, Clock.SYSTEM.monotonicNs());
    } catch (IOException e) {
      return failed(FileProblems.describe(e));
    } catch (ChunkStoreException e) {
      return failed(String.valueOf(e.getMessage()));
    } catch (TurnOverException e) {
      return manager -> manager.putOff(environment.mark().through(), Clock.SYSTEM.monotonicNs());
    } catch (UserError e) { // the agent has not said which snapshots it knows
      return failed(e.message());
    } catch (RuntimeException | Error e) {
      LOG.error("internal error while dead chunks were collected", e);
      return failed("internal error: " + e);
    } finally {
      begun.close();
      progress = "";
    }
  }

  private CollectionReport collected(CollectionRun begun, CollectionRoots roots)
      throws IOException {
    CollectionTask task = new CollectionTask(begun, roots, environment);
    while (task.step()) {
      progress = task.progress();
    }
    CollectionReport report = task.result(System.nanoTime() - begunNs);
    LOG.info(
        LogEvent.COLLECTION.marker(),
        "collection{}: {} bytes are alive, {} were dead, {} bytes freed, {} copied, in {} ms",
        report.isDryRun() ? " (dry run)" : "",
        report.liveBytes(),
        report.deadBytes(),
        report.freedBytes(),
        report.copiedBytes(),
        report.tookNs() / 1_000_000);
    return report;
  }

  /** How far the run is, for a person; empty if there is none, or it has only begun. */
  String progress() {
    return progress;
  }

  /**
   * Ends a run that is under way, and waits until it has ended. To be called before the chunk
   * store's callers are closed, and again after them: one of them may be about to begin a run.
   */
  @Override
  public void close() {
    stopping = true;
    thread.close();
    begunRun.abort();
  }
}

package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.SnapshotPort;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SleepingRateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotTask;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes snapshots on a thread of its own, at a limited rate. */
final class SnapshotThread implements SnapshotPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotThread.class);

  /**
   * Pages are written by recursion from one to those below, and names can be chosen so that there
   * are many above each other.
   */
  private static final long STACK_BYTES = 64L << 20;

  private static final long BYTES_PER_SECOND = 64L << 20;

  /** A leader that is to stop does not take longer than this for its last snapshot. */
  private static final Duration LAST_LIMIT = Duration.ofSeconds(20);

  /** What one step reads of the log. */
  private static final long LOG_STEP_BYTES = 1L << 20;

  /** What one step of verification reads: a MiB of the log, and the chunks of it. */
  private static final long VERIFIED_STEP_BYTES = 2L << 20;

  private final OpLog log;
  private final ChunkStore chunks;
  private final SnapshotCatalog catalog;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final RateLimit limit;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work ->
              Thread.ofPlatform()
                  .name("leader-snapshots")
                  .daemon()
                  .stackSize(STACK_BYTES)
                  .unstarted(work));
  private volatile boolean stopping;

  /**
   * Takes snapshots of one leader.
   *
   * @param post runs a call of the agent on its thread
   */
  SnapshotThread(
      OpLog log, ChunkStore chunks, SnapshotCatalog catalog, Consumer<Consumer<LeaderAgent>> post) {
    this.log = log;
    this.chunks = chunks;
    this.catalog = catalog;
    this.post = post;
    RateLimit slow = new SleepingRateLimit(BYTES_PER_SECOND, Clock.SYSTEM);
    this.limit =
        bytes -> {
          requireRunning();
          slow.spend(bytes);
        };
  }

  @Override
  public void take(Manifest manifest, long after, String name) {
    execute(
        () -> {
          Snapshot taken = taken(manifest, after, name, limit);
          return agent -> agent.snapshotTaken(taken);
        });
  }

  @Override
  public void change(Snapshot snapshot) {
    execute(
        () -> {
          catalog.put(snapshot);
          return agent -> agent.snapshotTaken(snapshot);
        });
  }

  @Override
  public void remove(long index) {
    execute(
        () -> {
          catalog.remove(index);
          return agent -> agent.snapshotRemoved(index);
        });
  }

  /**
   * Begins to look at the chunks of inline payloads that a start from a snapshot has passed over,
   * and stores again what is missing or damaged. At a low rate; a snapshot that is due goes first.
   *
   * @param last the index of that snapshot
   */
  void verifyLogged(long last) {
    verifyNext(LoggedChunks.damaged(log, chunks, last));
  }

  private void verifyNext(LoggedChunks logged) {
    try {
      thread.execute(
          () -> {
            try {
              limit.spend(VERIFIED_STEP_BYTES);
              if (logged.step()) {
                verifyNext(logged);
              } else if (logged.stored() > 0) {
                LOG.warn("{} chunks were restored from the log", logged.stored());
              }
            } catch (IOException | RuntimeException e) {
              if (!stopping) {
                LOG.warn("chunks that the log has were not all looked at: {}", e.getMessage());
              }
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  private Snapshot taken(Manifest manifest, long after, String name, RateLimit rate)
      throws IOException {
    long beganNs = System.nanoTime();
    LoggedChunks logged = LoggedChunks.missing(log, chunks, after, manifest.index());
    do {
      rate.spend(LOG_STEP_BYTES);
    } while (logged.step());
    SnapshotTask task =
        new SnapshotTask(manifest, name, Clock.SYSTEM.epochNs(), chunks, catalog, rate);
    try {
      while (task.step()) {
        requireRunning();
      }
    } finally {
      task.abandon(); // does nothing to a snapshot that is taken
    }
    Snapshot taken = task.result();
    LOG.info(
        "snapshot of entry {}: {} pages, {} bytes, in {} ms",
        taken.index(),
        taken.pages(),
        taken.bytes(),
        (System.nanoTime() - beganNs) / 1_000_000);
    return taken;
  }

  private void requireRunning() {
    if (stopping) {
      throw new ChunkStoreException(Errno.EAGAIN, "the leader stops");
    }
  }

  private interface Work {
    Consumer<LeaderAgent> run() throws IOException;
  }

  /** Does the work and always reports a result: nothing else is begun until it arrives. */
  private void execute(Work work) {
    try {
      thread.execute(() -> post.accept(result(work)));
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  private static Consumer<LeaderAgent> result(Work work) {
    try {
      return work.run();
    } catch (IOException e) {
      String why = FileProblems.describe(e);
      return agent -> agent.snapshotFailed(why);
    } catch (ChunkStoreException e) {
      String why = String.valueOf(e.getMessage());
      return agent -> agent.snapshotFailed(why);
    } catch (RuntimeException | Error e) {
      LOG.error("internal error while a snapshot was taken", e);
      return agent -> agent.snapshotFailed("internal error: " + e);
    }
  }

  /**
   * Takes the last snapshot of this run, without a limit of the rate, so that the next start has
   * nothing to replay. Does nothing but log if that fails or takes too long: the log has
   * everything.
   *
   * @param manifest of the newest state, all of whose entries are durable
   */
  void takeLast(Manifest manifest, long after) {
    close();
    stopping = false;
    Thread last =
        Thread.ofPlatform()
            .name("leader-snapshots")
            .stackSize(STACK_BYTES)
            .unstarted(() -> takeQuietly(manifest, after));
    last.start();
    boolean interrupted = false;
    try {
      var _ = last.join(LAST_LIMIT);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    stopping = true;
    while (last.isAlive()) { // it uses the chunk store, which is closed next
      try {
        last.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void takeQuietly(Manifest manifest, long after) {
    try {
      var _ = taken(manifest, after, "", _ -> requireRunning());
    } catch (IOException | RuntimeException e) {
      LOG.warn("no snapshot before the leader stops: {}", e.getMessage());
    }
  }

  /** Waits for what is under way, which is broken off where that is possible. */
  @Override
  public void close() {
    stopping = true;
    thread.close();
  }
}

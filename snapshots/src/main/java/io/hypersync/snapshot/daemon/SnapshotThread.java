package io.hypersync.snapshot.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.background.TurnOverException;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SleepingRateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotTask;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPort;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes snapshots on a thread of its own, at a limited rate. */
public final class SnapshotThread implements SnapshotPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotThread.class);

  /**
   * Pages are written by recursion from one to those below, and names can be chosen so that there
   * are many above each other.
   */
  private static final long STACK_BYTES = 64L << 20;

  private static final long BYTES_PER_SECOND = 64L << 20;

  /** A replica that is to stop does not take longer than this for its last snapshot. */
  private static final Duration LAST_LIMIT = Duration.ofSeconds(20);

  private final String name;
  private final Preparation preparation;
  private final ChunkStore chunks;
  private final SnapshotCatalog catalog;
  private final PageCache cache;
  private final Consumer<Consumer<SnapshotManager>> post;
  private final RateLimit limit;
  private final ExecutorService thread;
  private volatile boolean stopping;
  private volatile BackgroundTurns turns = BackgroundTurns.ALONE;

  /** Work in small steps. */
  @FunctionalInterface
  public interface Steps {
    /**
     * Does the next step, which costs about as much as reading {@code STEP_BYTES} of the disk.
     *
     * @return whether there is another one
     */
    boolean step() throws IOException;
  }

  /** What must be done before the pages of a snapshot are written. */
  @FunctionalInterface
  public interface Preparation {
    /** Nothing. */
    Preparation NONE = (_, _) -> () -> false;

    /**
     * The work for one snapshot.
     *
     * @param after index of the snapshot before; 0 for none
     * @param last index of this one
     */
    Steps steps(long after, long last);
  }

  /** What the rate limit counts for a step of a {@link Preparation}, in bytes. */
  private static final long STEP_BYTES = 1L << 20;

  /**
   * Takes snapshots of one replica.
   *
   * @param name of the thread
   * @param cache of the replica
   * @param post hands a result to the manager, on the agent's thread
   */
  public SnapshotThread(
      String name,
      Preparation preparation,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      PageCache cache,
      Consumer<Consumer<SnapshotManager>> post) {
    this.name = name;
    this.preparation = preparation;
    this.chunks = chunks;
    this.catalog = catalog;
    this.cache = cache;
    this.post = post;
    RateLimit slow = new SleepingRateLimit(BYTES_PER_SECOND, Clock.SYSTEM);
    this.limit =
        bytes -> {
          requireRunning();
          slow.spend(bytes);
        };
    this.thread =
        Executors.newSingleThreadExecutor(
            work -> Thread.ofPlatform().name(name).daemon().stackSize(STACK_BYTES).unstarted(work));
  }

  /** Those with whom this replica takes turns. Before the first snapshot. */
  public void takeTurns(BackgroundTurns with) {
    turns = with;
  }

  @Override
  public void take(Manifest manifest, long after, String name) {
    execute(
        () -> {
          Snapshot taken = taken(manifest, after, name, this::spendInTurn);
          return manager -> manager.taken(taken, Clock.SYSTEM.monotonicNs());
        });
  }

  /** Ends a snapshot that runs by turns if another replica may be at work. */
  private void spendInTurn(long bytes) {
    if (!turns.goesOn(BackgroundJob.SNAPSHOT)) {
      throw new TurnOverException();
    }
    limit.spend(bytes);
  }

  @Override
  public void measure(Manifest newest) {
    DirtyMemory dirty = cache.dirty();
    if (!dirty.isSavable()) {
      post.accept(SnapshotManager::weighed);
      return;
    }
    long before = dirty.bytes();
    execute(
        () -> {
          PageWriter measured = PageWriter.measuring(newest.state().version());
          var _ = newest.write(measured);
          cache.measured(before, measured.bytes());
          return SnapshotManager::weighed;
        });
  }

  @Override
  public void change(Snapshot snapshot) {
    execute(
        () -> {
          catalog.put(snapshot);
          return manager -> manager.taken(snapshot, Clock.SYSTEM.monotonicNs());
        });
  }

  @Override
  public void remove(long index) {
    execute(
        () -> {
          catalog.remove(index);
          return manager -> manager.removed(index);
        });
  }

  @Override
  public void setAside() {
    execute(
        () -> {
          catalog.setAside();
          return SnapshotManager::setAside;
        });
  }

  /** Sets all snapshots aside on the caller's thread; to be called after {@link #close}. */
  public void setAsideNow() {
    try {
      catalog.setAside();
    } catch (IOException e) {
      LOG.error(
          "the snapshots could not be set aside, the next start begins with them: {}",
          FileProblems.describe(e));
    }
  }

  /**
   * Does work in the background, at the same low rate; a snapshot that is due goes first.
   *
   * @param bytes what the rate limit counts for each step
   * @param done run when there are no more steps
   */
  public void inBackground(Steps steps, long bytes, Runnable done) {
    try {
      thread.execute(
          () -> {
            try {
              limit.spend(bytes);
              if (steps.step()) {
                inBackground(steps, bytes, done);
              } else {
                done.run();
              }
            } catch (IOException | RuntimeException e) {
              if (!stopping) {
                LOG.warn("work in the background has ended: {}", e.getMessage());
              }
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the replica stops", e);
    }
  }

  /**
   * Does work that is more urgent than what is done in the background, step by step.
   *
   * @param done run when there are no more steps
   * @param failed told why it has ended before; not called if this has been closed
   */
  public void run(Steps steps, Runnable done, Consumer<String> failed) {
    try {
      thread.execute(
          () -> {
            try {
              while (steps.step()) {
                requireRunning();
              }
              done.run();
            } catch (IOException | RuntimeException | Error e) {
              if (!stopping) {
                failed.accept(String.valueOf(e.getMessage()));
              }
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the replica stops", e);
    }
  }

  private Snapshot taken(Manifest manifest, long after, String name, RateLimit rate)
      throws IOException {
    long beganNs = System.nanoTime();
    Steps before = preparation.steps(after, manifest.index());
    do {
      rate.spend(STEP_BYTES);
    } while (before.step());
    SnapshotTask task =
        new SnapshotTask(manifest, name, Clock.SYSTEM.epochNs(), chunks, catalog, rate, cache);
    try {
      while (task.step()) {
        requireRunning();
      }
    } finally {
      task.abandon(); // does nothing to a snapshot that is taken
    }
    Snapshot taken = task.result();
    LOG.info(
        LogEvent.SNAPSHOT.marker(),
        "snapshot of entry {}: {} pages, {} bytes, in {} ms",
        taken.index(),
        taken.pages(),
        taken.bytes(),
        (System.nanoTime() - beganNs) / 1_000_000);
    return taken;
  }

  private void requireRunning() {
    if (stopping) {
      throw new ChunkStoreException(Errno.EAGAIN, "the replica stops");
    }
  }

  private interface Work {
    Consumer<SnapshotManager> run() throws IOException;
  }

  /** Does the work and always reports a result: nothing else is begun until it arrives. */
  private void execute(Work work) {
    try {
      thread.execute(() -> post.accept(result(work)));
    } catch (RejectedExecutionException e) {
      LOG.debug("the replica stops", e);
    }
  }

  private Consumer<SnapshotManager> result(Work work) {
    try {
      return work.run();
    } catch (IOException e) {
      String why = FileProblems.describe(e);
      return failed(why);
    } catch (ChunkStoreException e) {
      String why = String.valueOf(e.getMessage());
      return failed(why);
    } catch (TurnOverException e) {
      return manager -> manager.putOff(Clock.SYSTEM.monotonicNs());
    } catch (RuntimeException | Error e) {
      LOG.error("internal error while a snapshot was taken", e);
      return failed("internal error: " + e);
    }
  }

  private static Consumer<SnapshotManager> failed(String why) {
    return manager -> manager.failed(why, Clock.SYSTEM.monotonicNs());
  }

  /**
   * Takes the last snapshot of this run, without a limit of the rate, so that the next start has
   * nothing to replay. Does nothing but log if that fails or takes too long: the log has
   * everything.
   *
   * @param manifest of the newest state, all of whose entries are durable
   */
  public void takeLast(Manifest manifest, long after) {
    close();
    stopping = false;
    Thread last =
        Thread.ofPlatform()
            .name(name)
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

  /** Runs what writes pages on a thread that has room for it, and waits until it is done. */
  public static void runDeep(String name, Runnable work) {
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    Thread deep = Thread.ofPlatform().name(name).stackSize(STACK_BYTES).unstarted(work);
    deep.setUncaughtExceptionHandler((_, e) -> failed.set(e));
    deep.start();
    boolean interrupted = false;
    while (deep.isAlive()) {
      try {
        deep.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    switch (failed.get()) {
      case null -> {}
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  private void takeQuietly(Manifest manifest, long after) {
    try {
      var _ = taken(manifest, after, "", _ -> requireRunning());
    } catch (IOException | RuntimeException e) {
      LOG.warn("no snapshot before the stop: {}", e.getMessage());
    }
  }

  /** Waits for what is under way, which is broken off where that is possible. */
  @Override
  public void close() {
    stopping = true;
    thread.close();
  }
}

package io.hypersync.worker.daemon;

import io.hypersync.chunkstore.BegunCollection;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.memory.HeapRoom;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SleepingRateLimit;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.cache.CacheCollection;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.port.CachePort;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.CacheRoots;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes chunks that a worker does not need, on a thread of its own, at a limited rate. */
final class CacheThread implements CachePort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CacheThread.class);
  private static final long BYTES_PER_SECOND = 32L << 20;

  /** After so many steps the store is measured again. */
  private static final int MEASURE_STEPS = 64;

  /** How many pages a run remembers as read: 43 bytes of heap each. */
  private static final int MAX_PAGES = 1 << 16;

  private final ChunkStore chunks;
  private final CacheLimits limits;
  private final CacheCollection.Environment environment;
  private final Consumer<Consumer<WorkerAgent>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("worker-cache").daemon().factory());

  /** Written by the thread before the agent hears of it; the agent gives it back, or ends it. */
  private final BegunCollection begunRun = new BegunCollection();

  private volatile LongConsumer collecting = _ -> {};
  private volatile long begunNs;
  private volatile String progress = "";
  private volatile boolean givesUp;
  private volatile boolean stopping;

  /**
   * The thread of one worker.
   *
   * @param needed the pages that nodes in memory need
   * @param post runs a call on the agent's thread
   */
  CacheThread(
      ChunkStore chunks,
      WorkspaceId workspace,
      CacheLimits limits,
      UsedChunks recent,
      Supplier<List<PageCache.Needed>> needed,
      Consumer<Consumer<WorkerAgent>> post) {
    this.chunks = chunks;
    this.limits = limits;
    this.post = post;
    RateLimit slow = new SleepingRateLimit(BYTES_PER_SECOND, Clock.SYSTEM);
    this.environment =
        new CacheCollection.Environment(
            chunks,
            workspace,
            limits,
            recent,
            needed,
            MAX_PAGES,
            bytes -> {
              if (stopping) {
                throw new ChunkStoreException(Errno.EAGAIN, "the worker stops");
              }
              if (givesUp) {
                throw new ChunkStoreException(Errno.EAGAIN, "the leader is away");
              }
              slow.spend(bytes);
            });
  }

  /**
   * Has somebody told before chunks of entries up to an index are removed, on this thread; an
   * exception of the store's keeps them.
   */
  void tellBefore(LongConsumer told) {
    collecting = told;
  }

  @Override
  public void measure() {
    execute(
        () -> {
          long bytes = chunks.stats().bytesOnDisk();
          return agent -> agent.cache().measured(bytes, Clock.SYSTEM.monotonicNs());
        },
        _ -> agent -> agent.cache().notMeasured(Clock.SYSTEM.monotonicNs()));
  }

  @Override
  public void begin(long stateBytes) {
    execute(
        () -> {
          ChunkStoreStats stats = chunks.stats();
          String why =
              HeapRoom.whyNoCollection(
                  "the worker",
                  stats.approximateChunks(),
                  HeapRoom.mostForMarks(stateBytes + stateBytes / 4));
          if (!why.isEmpty()) {
            return failed(why);
          }
          begunNs = System.nanoTime();
          givesUp = false;
          begunRun.begun(chunks.beginCollection(limits.options()));
          return agent -> agent.cache().begun(stats.bytesOnDisk(), Clock.SYSTEM.monotonicNs());
        },
        CacheThread::failed);
  }

  @Override
  public void collect(CacheRoots roots) {
    CollectionRun begun = begunRun.take();
    boolean isTaken =
        execute(
            () -> {
              try {
                CacheReport report = collected(begun, roots);
                return agent -> agent.collected(report);
              } finally {
                begun.close();
                progress = "";
              }
            },
            CacheThread::failed);
    if (!isTaken) {
      begun.close();
    }
  }

  private CacheReport collected(CollectionRun begun, CacheRoots roots)
      throws DecodeException, PageMissingException {
    collecting.accept(roots.visibleIndex());
    CacheCollection collection = new CacheCollection(begun, roots, environment);
    for (int step = 1; collection.step(); step++) {
      progress = collection.progress();
      if (step % MEASURE_STEPS == 0) { // others store meanwhile
        long bytes = chunks.stats().bytesOnDisk();
        post.accept(agent -> agent.cache().grown(bytes));
      }
    }
    CacheReport report =
        collection.result(chunks.stats().bytesOnDisk(), System.nanoTime() - begunNs);
    LOG.info(
        LogEvent.COLLECTION.marker(),
        "collection{}: {} bytes are kept, {} were not needed, {} bytes freed, in {} ms",
        report.evicted() ? " (cache_max)" : "",
        report.liveBytes(),
        report.deadBytes(),
        report.freedBytes(),
        report.tookNs() / 1_000_000);
    return report;
  }

  @Override
  public void giveUp() {
    givesUp = true;
  }

  @Override
  public void abandon() {
    begunRun.take().close(); // does no I/O
  }

  @FunctionalInterface
  private interface Work {
    Consumer<WorkerAgent> run() throws DecodeException, PageMissingException;
  }

  /**
   * Does the work and always gives an answer: nothing else is begun until it arrives.
   *
   * @param failed the answer if it fails, given the reason
   * @return false if the worker stops
   */
  private boolean execute(Work work, Function<String, Consumer<WorkerAgent>> failed) {
    try {
      thread.execute(() -> post.accept(answer(work, failed)));
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("the worker stops", e);
      return false;
    }
  }

  private static Consumer<WorkerAgent> answer(
      Work work, Function<String, Consumer<WorkerAgent>> failed) {
    try {
      return work.run();
    } catch (PageMissingException e) {
      return agent -> agent.pageMissing(e.page(), String.valueOf(e.getMessage()));
    } catch (DecodeException | ChunkStoreException e) {
      return failed.apply(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("internal error while chunks were collected", e);
      return failed.apply("internal error: " + e);
    }
  }

  private static Consumer<WorkerAgent> failed(String why) {
    return agent -> agent.cache().failed(why, Clock.SYSTEM.monotonicNs());
  }

  /** How far the run is, for a person; empty if there is none, or it has only begun. */
  String progress() {
    return progress;
  }

  /** Ends a run that is under way, and waits until it has ended. */
  @Override
  public void close() {
    stopping = true;
    thread.close();
    begunRun.abort();
  }
}

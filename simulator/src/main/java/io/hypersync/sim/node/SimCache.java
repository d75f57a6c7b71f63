package io.hypersync.sim.node;

import io.hypersync.chunkstore.BegunCollection;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.cache.CacheCollection;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.port.CachePort;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.CacheRoots;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The cache port of a simulated worker: does the product's steps, each in an event of its own, so
 * that anything may happen between two of them, a crash, too.
 */
final class SimCache implements CachePort {
  private static final long FASTEST_STEP_NS = 10_000;
  private static final long SLOWEST_STEP_NS = 20 * Timeline.MS;

  /** One in so many of what can fail does. */
  private static final int SELDOM = 20;

  /** So few that a walk often forgets what it has read. */
  private static final int PAGES = 20;

  private final SnapshotDisk disk;
  private final Host host;
  private final CacheCollection.Environment environment;
  private final Supplier<WorkerAgent> agent;
  private final Runnable whole;
  private final BegunCollection begunRun = new BegunCollection();
  private boolean givesUp;
  private Prng prng = new Prng(0);

  /**
   * The port of one run of a worker.
   *
   * @param needed the pages that nodes in memory need
   * @param whole checks that what the worker shows is still here
   */
  SimCache(
      SnapshotDisk disk,
      WorkspaceId workspace,
      CacheLimits limits,
      UsedChunks recent,
      Supplier<List<PageCache.Needed>> needed,
      Host host,
      Supplier<WorkerAgent> agent,
      Runnable whole) {
    this.disk = disk;
    this.host = host;
    this.environment =
        new CacheCollection.Environment(
            disk.chunks(),
            workspace,
            limits,
            recent,
            needed,
            PAGES,
            _ -> {
              if (givesUp) {
                throw new ChunkStoreException(Errno.EAGAIN, "the leader is away");
              }
            });
    this.agent = agent;
    this.whole = whole;
  }

  /** What delays and failures are drawn from. */
  void draws(Prng from) {
    prng = from;
  }

  private SimChunkStore store() {
    return disk.chunks();
  }

  @Override
  public void measure() {
    later(
        () -> {
          long bytes = store().stats().bytesOnDisk();
          answer(
              prng.oneIn(SELDOM)
                  ? worker -> worker.cache().notMeasured(host.nowNs())
                  : worker -> worker.cache().measured(bytes, host.nowNs()));
        });
  }

  @Override
  public void begin(long stateBytes) {
    later(
        () -> {
          if (prng.oneIn(SELDOM)) {
            answer(worker -> worker.cache().failed("no heap to spare", host.nowNs()));
            return;
          }
          begunRun.begun(store().beginCollection());
          givesUp = false;
          long bytes = store().stats().bytesOnDisk();
          answer(worker -> worker.cache().begun(bytes, host.nowNs()));
        });
  }

  @Override
  public void collect(CacheRoots roots) {
    CollectionRun begun = begunRun.take();
    later(() -> step(new CacheCollection(begun, roots, environment)));
  }

  @Override
  public void giveUp() {
    givesUp = true;
  }

  @Override
  public void abandon() {
    begunRun.take().close();
  }

  private void step(CacheCollection collection) {
    try {
      if (collection.step()) {
        later(() -> step(collection));
        return;
      }
    } catch (PageMissingException e) {
      // What an entry restores need not be here yet.
      boolean isWhole = agent.get().isInstalled() && !agent.get().waitsForPage();
      if (store().rotted() == 0 && isWhole) {
        throw new Violation("a collection needs what is gone: " + e.getMessage());
      }
      host.note("a collection of a worker has ended: " + e.getMessage());
      answer(worker -> worker.pageMissing(e.page(), String.valueOf(e.getMessage())));
      return;
    } catch (DecodeException | ChunkStoreException e) {
      host.note("a collection of a worker has ended: " + e.getMessage());
      answer(worker -> worker.cache().failed(String.valueOf(e.getMessage()), host.nowNs()));
      return;
    }
    CacheReport report = collection.result(store().stats().bytesOnDisk(), 0);
    disk.count(SnapshotDisk.CACHE_COLLECTED);
    if (report.chunksRemoved() > 0) {
      disk.count(report.evicted() ? SnapshotDisk.CACHE_EVICTED : SnapshotDisk.CACHE_REMOVED);
    }
    host.execute(
        () -> {
          if (!report.evicted()) {
            whole.run();
          }
          agent.get().collected(report);
        });
  }

  private void later(Runnable step) {
    host.after(prng.scale(FASTEST_STEP_NS, SLOWEST_STEP_NS), "", step);
  }

  private void answer(Consumer<WorkerAgent> call) {
    host.execute(() -> call.accept(agent.get()));
  }
}

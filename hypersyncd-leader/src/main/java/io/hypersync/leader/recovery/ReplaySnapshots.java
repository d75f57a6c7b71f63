package io.hypersync.leader.recovery;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageCache;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a snapshot whenever a replay has applied many entries, as {@link SnapshotTask} does: what
 * the catalog has is complete, also if the start is cut short right behind it. What is in a
 * snapshot need not stay in memory either. Not thread-safe.
 */
public final class ReplaySnapshots implements ReplaySaver {
  private static final Logger LOG = LoggerFactory.getLogger(ReplaySnapshots.class);

  private final WorkspaceId workspace;
  private final ChunkStore chunks;
  private final SnapshotCatalog catalog;
  private final PageCache cache;
  private final LongSupplier epochNs;
  private final long everyEntries;
  private final List<Snapshot> taken = new ArrayList<>();
  private @Nullable Manifest newest;
  private long base;
  private boolean failed;

  /**
   * A replay that has taken none yet.
   *
   * @param cache of the replica
   * @param epochNs the time of day, in nanoseconds since 1970
   * @param base the last entry of the state that the replay begins with
   * @param everyEntries so many entries lie between two snapshots, at least
   */
  public ReplaySnapshots(
      WorkspaceId workspace,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      PageCache cache,
      LongSupplier epochNs,
      long base,
      long everyEntries) {
    this.workspace = workspace;
    this.chunks = chunks;
    this.catalog = catalog;
    this.cache = cache;
    this.epochNs = epochNs;
    this.base = base;
    this.everyEntries = everyEntries;
  }

  @Override
  public boolean isDue(long index) {
    return !failed && index - base >= everyEntries;
  }

  @Override
  public void save(FsState state, long index, long lastTimeNs, long weight) {
    Manifest manifest = new Manifest(workspace, index, lastTimeNs, weight, state);
    SnapshotTask task =
        new SnapshotTask(manifest, "", epochNs.getAsLong(), chunks, catalog, RateLimit.NONE, cache);
    try {
      boolean goesOn = true;
      while (goesOn) {
        goesOn = task.step();
      }
    } catch (IOException | ChunkStoreException e) {
      failed = true; // a full disk stays full as long as nothing is collected
      LOG.warn("a start that is cut short replays from entry {} again: {}", base, e.getMessage());
      return;
    }
    LOG.info("snapshot of entry {}, from which another start would go on", index);
    taken.add(task.result());
    newest = manifest;
    base = index;
    cache.measured(cache.dirty().bytes(), 0);
  }

  /** The snapshots that were taken, the oldest first. */
  public List<Snapshot> taken() {
    return taken;
  }

  /** What the last one is of; null if none was taken. */
  public @Nullable Manifest newest() {
    return newest;
  }
}

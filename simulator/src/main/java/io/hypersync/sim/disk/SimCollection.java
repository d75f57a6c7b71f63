package io.hypersync.sim.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionPlan;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionProgress.Phase;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.KeptChunks;
import io.hypersync.chunkstore.SegmentUsage;
import io.hypersync.chunkstore.SegmentUsage.Fate;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A collection of {@link SimChunkStore}: removes synced chunks that are dead, one at a time. What
 * the last call of {@link #sweep} has removed may be back after a crash. A crash ends the run.
 */
final class SimCollection implements CollectionRun {
  private final SimChunkStore store;
  private final KeptChunks kept;
  private final List<Hash> unreadable = new ArrayList<>();
  private @Nullable Deque<Hash> rest;
  private Phase phase = Phase.MARKING;
  private long removed;
  private long removedBytes;
  private long liveBytes;

  SimCollection(SimChunkStore store, KeptChunks kept) {
    this.store = store;
    this.kept = kept;
  }

  @Override
  public boolean mark(Hash hash) {
    if (phase != Phase.MARKING) {
      throw new IllegalStateException("the collection takes no marks any more: " + phase);
    }
    return kept.mark(hash);
  }

  @Override
  public CollectionPlan plan() {
    requireRunning();
    long bytes = 0;
    long live = 0;
    for (Hash hash : store.syncedHashes()) {
      bytes += store.syncedLength(hash);
      live += kept.isKept(hash) ? store.syncedLength(hash) : 0;
    }
    Fate fate = live == bytes ? Fate.KEPT : Fate.DELETED;
    return new CollectionPlan(List.of(new SegmentUsage(1, bytes, live, fate)));
  }

  /**
   * Removes chunks.
   *
   * @throws ChunkStoreException {@link Errno#ENOSPC} at the end if the disk is full
   */
  @Override
  public CollectionProgress sweep(long budgetBytes) {
    requireRunning();
    Deque<Hash> hashes = rest == null ? new ArrayDeque<>(store.syncedHashes()) : rest;
    rest = hashes;
    phase = Phase.CLEANING;
    store.removalsAreDurable();
    long left = budgetBytes;
    do {
      Hash hash = hashes.poll();
      if (hash != null) {
        left -= Math.max(1, sweep(hash));
      }
    } while (left > 0 && !hashes.isEmpty());
    if (hashes.isEmpty()) {
      store.requireSpace();
      phase = Phase.DONE;
      store.measured(liveBytes);
    }
    return progress();
  }

  private int sweep(Hash hash) {
    int length = store.syncedLength(hash);
    if (length >= 0 && kept.condemn(hash)) {
      store.remove(hash);
      kept.removed(List.of(hash));
      removed++;
      removedBytes += length;
    } else if (length >= 0) {
      liveBytes += length;
      if (store.isDamaged(hash)) {
        store.foundDamaged(hash);
        unreadable.add(hash);
      }
    }
    return length;
  }

  @Override
  public CollectionProgress progress() {
    return new CollectionProgress(
        phase,
        0,
        0,
        0,
        removed,
        0,
        0,
        removedBytes,
        liveBytes,
        0,
        unreadable.size(),
        unreadable.subList(0, Math.min(unreadable.size(), CollectionProgress.MAX_UNREADABLE)));
  }

  @Override
  public CollectionProgress finish() {
    if (phase != Phase.DONE) {
      throw new IllegalStateException("the collection is not done: " + phase);
    }
    abort();
    return progress();
  }

  @Override
  public void abort() {
    if (phase != Phase.ENDED) {
      phase = Phase.ENDED;
      kept.end();
    }
  }

  private void requireRunning() {
    if (phase == Phase.ENDED) {
      throw new IllegalStateException("the collection has ended");
    }
  }
}

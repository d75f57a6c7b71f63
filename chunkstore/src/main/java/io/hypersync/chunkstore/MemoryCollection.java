package io.hypersync.chunkstore;

import io.hypersync.chunkstore.CollectionProgress.Phase;
import io.hypersync.chunkstore.SegmentUsage.Fate;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A collection of a store that is a map in memory. There are no segments: every dead chunk goes,
 * nothing is copied. A plan shows the chunks as one segment.
 */
final class MemoryCollection implements CollectionRun {
  private final KeptChunks kept;
  private final Map<Hash, byte[]> chunks;
  private final Set<Hash> bad;
  private final Consumer<CollectionProgress> measured;
  private final List<Hash> unreadable = new ArrayList<>();
  private @Nullable Iterator<Map.Entry<Hash, byte[]>> rest;
  private long removed;
  private long removedBytes;
  private long liveBytes;
  private volatile CollectionProgress progress = progress(Phase.MARKING);

  MemoryCollection(
      KeptChunks kept,
      Map<Hash, byte[]> chunks,
      Set<Hash> bad,
      Consumer<CollectionProgress> measured) {
    this.kept = kept;
    this.chunks = chunks;
    this.bad = bad;
    this.measured = measured;
  }

  @Override
  public boolean mark(Hash hash) {
    Phase phase = progress.phase();
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
    for (Map.Entry<Hash, byte[]> chunk : chunks.entrySet()) {
      int length = chunk.getValue().length;
      bytes += length;
      live += kept.isKept(chunk.getKey()) ? length : 0;
    }
    Fate fate = live == bytes ? Fate.KEPT : Fate.DELETED;
    return new CollectionPlan(List.of(new SegmentUsage(1, bytes, live, fate)));
  }

  @Override
  public CollectionProgress sweep(long budgetBytes) {
    requireRunning();
    Iterator<Map.Entry<Hash, byte[]>> all = rest == null ? chunks.entrySet().iterator() : rest;
    rest = all;
    long left = budgetBytes;
    do {
      if (all.hasNext()) {
        Map.Entry<Hash, byte[]> chunk = all.next();
        sweep(chunk.getKey(), chunk.getValue().length);
        left -= Math.max(chunk.getValue().length, 1);
      }
    } while (left > 0 && all.hasNext());
    progress = progress(all.hasNext() ? Phase.CLEANING : Phase.DONE);
    if (progress.isDone()) {
      measured.accept(progress);
    }
    return progress;
  }

  private void sweep(Hash hash, int length) {
    if (chunks.computeIfPresent(hash, (_, bytes) -> kept.condemn(hash) ? null : bytes) == null) {
      kept.removed(List.of(hash));
      bad.remove(hash);
      removed++;
      removedBytes += length;
      return;
    }
    liveBytes += length;
    if (bad.contains(hash) && unreadable.size() < CollectionProgress.MAX_UNREADABLE) {
      unreadable.add(hash);
    }
  }

  @Override
  public CollectionProgress progress() {
    return progress;
  }

  @Override
  public CollectionProgress finish() {
    if (progress.phase() != Phase.DONE) {
      throw new IllegalStateException("the collection is not done: " + progress.phase());
    }
    abort();
    return progress;
  }

  @Override
  public void abort() {
    if (progress.phase() != Phase.ENDED) {
      progress = progress(Phase.ENDED);
      kept.end();
    }
  }

  private CollectionProgress progress(Phase phase) {
    return new CollectionProgress(
        phase, 0, 0, 0, removed, 0, 0, removedBytes, liveBytes, 0, unreadable.size(), unreadable);
  }

  private void requireRunning() {
    if (progress.phase() == Phase.ENDED) {
      throw new IllegalStateException("the collection has ended");
    }
  }
}

package io.hypersync.leader.recovery;

import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import java.util.Collection;

/**
 * Where a replay of the log begins: with the empty filesystem, or with what a snapshot has.
 *
 * @param state the state before the first entry that is applied
 * @param index the last entry that the state has; 0 for the empty filesystem
 * @param lastTimeNs the time of that entry, in nanoseconds since 1970
 * @param weight about how many bytes of heap the state takes ({@link StateWeight})
 * @param durable the log must reach at least this entry, which was durable once
 * @param collectedThrough chunks that entries up to this one mention may have been collected. The
 *     log must reach that entry, too
 * @param memory counts what of the replayed state cannot be dropped
 * @param restored reads what entries restore
 */
public record ReplayStart(
    FsState state,
    long index,
    long lastTimeNs,
    long weight,
    long durable,
    long collectedThrough,
    DirtyMemory memory,
    RestoredStates restored) {
  /** A replay that keeps all of the state in memory, and can restore none. */
  public ReplayStart(
      FsState state, long index, long lastTimeNs, long weight, long durable, long collected) {
    this(
        state,
        index,
        lastTimeNs,
        weight,
        durable,
        collected,
        DirtyMemory.ofEverything(),
        RestoredStates.NONE);
  }

  /** The empty filesystem, with roots of this version. */
  public static ReplayStart genesis(RootVersion version) {
    FsState state = FsState.genesis(version);
    return new ReplayStart(state, 0, 0, StateWeight.of(state), 0, 0);
  }

  /** A snapshot. */
  public static ReplayStart of(Manifest manifest) {
    return new ReplayStart(
        manifest.state(),
        manifest.index(),
        manifest.lastTimeNs(),
        manifest.weight(),
        manifest.index(),
        0);
  }

  /**
   * The same start, with what a catalog proves: each snapshot in it, readable or not, was taken of
   * an entry that was durable. A log that ends before is not whole.
   */
  public ReplayStart provenBy(Collection<Snapshot> catalog) {
    long highest = durable;
    for (Snapshot snapshot : catalog) {
      highest = Math.max(highest, snapshot.index());
    }
    return new ReplayStart(
        state, index, lastTimeNs, weight, highest, collectedThrough, memory, restored);
  }

  /**
   * The same start, with what collections have said (hypersync.md 14.2): each entry up to this one
   * was durable with all its chunks once, and those that nothing needs any more may be gone.
   */
  public ReplayStart collectedThrough(long mark) {
    return new ReplayStart(state, index, lastTimeNs, weight, durable, mark, memory, restored);
  }

  /** The same start, of a replica that may drop what is in pages. */
  public ReplayStart in(DirtyMemory counted) {
    return new ReplayStart(
        state, index, lastTimeNs, weight, durable, collectedThrough, counted, restored);
  }

  /** The same start, of a replay that may go through entries which restore a state. */
  public ReplayStart restoring(RestoredStates states) {
    return new ReplayStart(
        state, index, lastTimeNs, weight, durable, collectedThrough, memory, states);
  }
}

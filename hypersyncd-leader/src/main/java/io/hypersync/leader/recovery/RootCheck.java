package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.Stamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the roots of a replay with those of the log, one run of entries at a time. Consecutive
 * states share most of their tries, so computing the root of a run's last state costs little more
 * than computing that of any one state (hypersync.md 8.1.1). The root of a state covers all of it,
 * so if the last root of a run is right, the state is the one that was logged. Only if it is wrong
 * is the run replayed once more from the state before it, with every root computed, to name the
 * first entry that differs. The states in between are not kept: each has about two kilobytes of
 * trie nodes that the next one replaces, and the garbage collector would copy them all.
 *
 * <p>So a wrong root in the middle of a run that ends with a right one is not found. A leader may
 * start all the same, because the state it leads from is right; workers, which compare every root,
 * refuse that entry, as they did when it was new.
 *
 * <p>Hashing is a large part of the cost of a replay, so the root of one run may be computed on
 * another thread ({@link RootHashing}) while the next run is replayed. The other thread gets an
 * immutable state, whose tries may cache hashes concurrently from two threads. Its result is
 * awaited before the next run is handed over, and before the state is used ({@link #finish}). So
 * the same root mismatch is found, at the same entry, as with one thread; only other errors of a
 * later entry may be found earlier.
 *
 * <p>A state must not be used before {@link #finish} has found it good. All methods are called on
 * one thread.
 */
final class RootCheck {
  private final RootHashing hashing;
  private final RestoredStates restored;
  private List<Step> run = new ArrayList<>();

  /** The state before the current run; known good once {@link #underWay} is found good. */
  private FsState before;

  private @Nullable UnderWay underWay;

  private record Step(long index, FsOp op, Stamp stamp, Hash root) {}

  /**
   * An entry whose logged root is not the one that replay gives.
   *
   * @param index of the entry
   * @param logged the root in the log
   * @param replayed the root that replay gives
   */
  record Mismatch(long index, Hash logged, Hash replayed) {
    @Override
    public String toString() {
      return "Merkle root mismatch: the log says " + logged + ", replay gives " + replayed;
    }
  }

  /**
   * A run whose last root is being computed.
   *
   * @param before the state before the run, which was found good
   */
  private record UnderWay(FsState before, List<Step> run, RootHashing.Root last) {}

  /**
   * Starts from a state that is known to be good.
   *
   * @param hashing computes the last root of each run
   * @param restored reads what entries restore
   */
  RootCheck(FsState before, RootHashing hashing, RestoredStates restored) {
    this.before = before;
    this.hashing = hashing;
    this.restored = restored;
  }

  /**
   * Adds the next entry, already applied, to the current run.
   *
   * @param root the root in the log after this entry
   */
  void add(long index, FsOp op, Stamp stamp, Hash root) {
    run.add(new Step(index, op, stamp, root));
  }

  /** How many entries the current run has. */
  int size() {
    return run.size();
  }

  /** Whether all added entries have been compared and found good. */
  boolean isFinished() {
    return run.isEmpty() && underWay == null;
  }

  /**
   * Ends the current run and has its last root computed, after waiting for the run before.
   *
   * @param after the state after the run's last entry
   * @return the first entry that differs, if that is known already; else null
   */
  @Nullable Mismatch endRun(FsState after) {
    Mismatch earlier = awaitUnderWay();
    if (earlier != null || run.isEmpty()) {
      return earlier;
    }
    UnderWay next = new UnderWay(before, run, hashing.begin(after));
    underWay = next;
    run = new ArrayList<>();
    before = after;
    return next.last.isKnown() ? awaitUnderWay() : null;
  }

  /**
   * Ends the current run and waits for all comparisons.
   *
   * @param after the state after the run's last entry
   * @return the first entry that differs; null if all was replayed as logged
   */
  @Nullable Mismatch finish(FsState after) {
    Mismatch earlier = endRun(after);
    return earlier == null ? awaitUnderWay() : earlier;
  }

  private @Nullable Mismatch awaitUnderWay() {
    UnderWay compared = underWay;
    if (compared == null) {
      return null;
    }
    Mismatch last = compare(compared.run.getLast(), compared.last.await());
    if (last != null) {
      return firstOfAnotherReplay(compared, last); // stays under way: reported again
    }
    underWay = null;
    return null;
  }

  /**
   * Replays a bad run and returns the first entry whose root differs. If none differs this time, or
   * an op fails, the first replay went wrong: its last entry is returned.
   */
  private Mismatch firstOfAnotherReplay(UnderWay compared, Mismatch last) {
    FsState state = compared.before;
    for (Step step : compared.run) {
      Outcome outcome = FsStateMachine.apply(state, step.op, step.stamp, restored);
      if (!(outcome instanceof Outcome.Applied(FsState next))) {
        return last;
      }
      state = next;
      Mismatch found = compare(step, state.root());
      if (found != null) {
        return found;
      }
    }
    return last;
  }

  private static @Nullable Mismatch compare(Step step, Hash replayed) {
    return replayed.equals(step.root) ? null : new Mismatch(step.index, step.root, replayed);
  }
}

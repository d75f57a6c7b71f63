package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the roots of a replay with those of the log, a run of entries at a time: states that
 * follow each other share most of their tries, so the root of the last one costs little more than
 * that of any one of them (hypersync.md 8.1.1). The root of a state covers all of it, so after a
 * run whose last root is right the state is the one that was logged; only if it is not, the run is
 * replayed once more from the state before it, and every root computed, to name the first entry
 * that differs. The states between are not kept: each has made some two kilobytes of nodes that the
 * next one has no use for, and a collection of garbage would copy them all.
 *
 * <p>So a root that is wrong in the middle of a run, and led to a right one, is not found. A leader
 * may start all the same, for the state it leads is right; workers, which compare every root,
 * refuse that entry, as they did when it was new.
 *
 * <p>Hashing is a good part of what a replay takes, so it may happen elsewhere ({@link
 * RootHashing}), while the next run is replayed: of one run at a time. What crosses over is an
 * immutable state, whose tries may keep their hashes under two threads; what comes back is waited
 * for before the next run crosses, and before anything is made of the state ({@link #settle}). So
 * what is found of the roots, and of which entry, is the same as if there were one thread; what
 * else is wrong with a later entry may be found before it.
 *
 * <p>Nobody may go by a state before {@link #settle} has found it good. To be called on one thread.
 */
final class RootCheck {
  private final RootHashing hashing;
  private List<Step> run = new ArrayList<>();

  /** What the run begins with; good if {@link #underWay} is. */
  private FsState before;

  private @Nullable UnderWay underWay;

  private record Step(long index, FsOp op, Stamp stamp, Hash root) {}

  /**
   * An entry whose root is another than that of its replay.
   *
   * @param index of the entry
   * @param logged the root that the log has
   * @param replayed the root that came of it
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
   * @param before what it begins with, which was found good
   */
  private record UnderWay(FsState before, List<Step> run, RootHashing.Root last) {}

  /**
   * Starts from a state that is known to be good.
   *
   * @param hashing computes the last root of each run
   */
  RootCheck(FsState before, RootHashing hashing) {
    this.before = before;
    this.hashing = hashing;
  }

  /**
   * The next entry of the run, which could be applied.
   *
   * @param root what the log says that the root is after it
   */
  void add(long index, FsOp op, Stamp stamp, Hash root) {
    run.add(new Step(index, op, stamp, root));
  }

  /** How many entries the run has. */
  int size() {
    return run.size();
  }

  /** Whether nothing is left to be compared. */
  boolean isSettled() {
    return run.isEmpty() && underWay == null;
  }

  /**
   * Ends the run and has it compared, when the one before it has been.
   *
   * @param after the state that its last entry led to
   * @return the first entry that differs, if one is known to already
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
   * Ends the run and waits for all that is being compared.
   *
   * @param after the state that its last entry led to
   * @return the first entry that differs; null if all was replayed as logged
   */
  @Nullable Mismatch settle(FsState after) {
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
      return firstOfAnotherReplay(compared, last); // and again, whoever asks: it stays under way
    }
    underWay = null;
    return null;
  }

  /** It should find one; if it does not, the first replay went wrong, and its last is named. */
  private static Mismatch firstOfAnotherReplay(UnderWay compared, Mismatch last) {
    FsState state = compared.before;
    for (Step step : compared.run) {
      if (!(FsStateMachine.apply(state, step.op, step.stamp) instanceof Outcome.Applied applied)) {
        return last;
      }
      state = applied.state();
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

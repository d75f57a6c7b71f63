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
 * <p>Nobody may go by a state before {@link #firstMismatch} has found it good. Single-threaded.
 */
final class RootCheck {
  private final List<Step> run = new ArrayList<>();

  /** Before the run; found good, or nobody goes on. */
  private FsState before;

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

  /** Starts from a state that is known to be good. */
  RootCheck(FsState before) {
    this.before = before;
  }

  /**
   * The next entry of the run, which could be applied.
   *
   * @param root what the log says that the root is after it
   */
  void add(long index, FsOp op, Stamp stamp, Hash root) {
    run.add(new Step(index, op, stamp, root));
  }

  /** How many entries wait to be compared. */
  int size() {
    return run.size();
  }

  /**
   * Ends the run; null if it was replayed as logged.
   *
   * @param after the state that its last entry led to
   */
  @Nullable Mismatch firstMismatch(FsState after) {
    Mismatch last = run.isEmpty() ? null : compare(run.getLast(), after);
    Mismatch first = last == null ? null : firstOfAnotherReplay(last);
    run.clear();
    before = after;
    return first;
  }

  /** It should find one; if it does not, the first replay went wrong, and its last is named. */
  private Mismatch firstOfAnotherReplay(Mismatch last) {
    FsState state = before;
    for (Step step : run) {
      if (!(FsStateMachine.apply(state, step.op, step.stamp) instanceof Outcome.Applied applied)) {
        return last;
      }
      state = applied.state();
      Mismatch found = compare(step, state);
      if (found != null) {
        return found;
      }
    }
    return last;
  }

  private static @Nullable Mismatch compare(Step step, FsState state) {
    Hash replayed = state.root();
    return replayed.equals(step.root) ? null : new Mismatch(step.index, step.root, replayed);
  }
}

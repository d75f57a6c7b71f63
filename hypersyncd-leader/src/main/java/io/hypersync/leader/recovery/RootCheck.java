package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the roots of a replay with those of the log, a run of entries at a time: states that
 * follow each other share most of their tries, so the root of the last one costs little more than
 * that of any one of them (hypersync.md 8.1.1). The root of a state covers all of it, so after a
 * run whose last root is right the state is the one that was logged; only if it is not, the others
 * are computed, to name the first entry that differs.
 *
 * <p>So a root that is wrong in the middle of a run, and led to a right one, is not found. A leader
 * may start all the same, for the state it leads is right; workers, which compare every root,
 * refuse that entry, as they did when it was new.
 *
 * <p>Nobody may go by a state before {@link #firstMismatch} has found it good. Single-threaded.
 */
final class RootCheck {
  private final List<Expected> run = new ArrayList<>();

  private record Expected(long index, FsState state, Hash root) {}

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
   * The next state of the run.
   *
   * @param index of the entry that led to it
   * @param root what the log says that its root is
   */
  void add(long index, FsState state, Hash root) {
    run.add(new Expected(index, state, root));
  }

  /** How many states wait to be compared. */
  int size() {
    return run.size();
  }

  /** Ends the run; null if it was replayed as logged. */
  @Nullable Mismatch firstMismatch() {
    if (run.isEmpty() || compare(run.getLast()) == null) {
      run.clear();
      return null;
    }
    Mismatch first = null;
    for (int i = 0; first == null; i++) { // the last one differs, if no other does
      first = compare(run.get(i));
    }
    run.clear();
    return first;
  }

  private static @Nullable Mismatch compare(Expected expected) {
    Hash replayed = expected.state.root();
    return replayed.equals(expected.root)
        ? null
        : new Mismatch(expected.index, expected.root, replayed);
  }
}

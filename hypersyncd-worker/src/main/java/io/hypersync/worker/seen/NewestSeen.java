package io.hypersync.worker.seen;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.SeenState;

/**
 * The newest state that this worker has shown, over its runs. It never goes back within a lineage:
 * a worker that starts from an older snapshot still knows what it has shown before. What a worker
 * shows that remembers nothing, before a leader has accepted it, is of a lineage that it does not
 * know, and is no word against any leader. Used on the agent's thread only.
 */
public final class NewestSeen {
  private SeenState newest = SeenState.NONE;
  private boolean isLineageKnown;

  /** What an earlier run has seen. Before anything is shown in this one. */
  public void remember(SeenState earlier) {
    newest = earlier;
    isLineageKnown = !earlier.equals(SeenState.NONE);
  }

  /**
   * Whether a leader was deposed: another one of its lineage, with a higher term, was seen here. It
   * may not know that yet. Terms of different lineages are not compared: a rewind is done by hand.
   */
  public boolean isDeposed(long lineage, long term) {
    return lineage == newest.lineage() && term < newest.term();
  }

  /**
   * A leader has accepted this worker: what is shown from now on is of its lineage and term.
   *
   * @param term of a leader that is not {@link #isDeposed}
   */
  public void welcomed(long lineage, long term, long visibleIndex, Hash visibleRoot) {
    isLineageKnown = true;
    SeenState shown =
        lineage == newest.lineage()
            ? at(visibleIndex, visibleRoot)
            : new SeenState(lineage, term, visibleIndex, visibleRoot);
    newest = new SeenState(lineage, term, shown.index(), shown.root());
  }

  /** The newest state, given the one that is shown now. */
  public SeenState at(long visibleIndex, Hash visibleRoot) {
    if (isLineageKnown && visibleIndex > newest.index()) {
      newest = new SeenState(newest.lineage(), newest.term(), visibleIndex, visibleRoot);
    }
    return newest;
  }
}

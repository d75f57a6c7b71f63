package io.hypersync.worker.seen;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.SeenState;

/**
 * The newest state that this worker has shown, over its runs. It never goes back within a lineage:
 * a worker that starts from an older snapshot still knows what it has shown before. Used on the
 * agent's thread only.
 */
public final class NewestSeen {
  private SeenState newest = SeenState.NONE;

  /** What an earlier run has seen. Before anything is shown in this one. */
  public void remember(SeenState earlier) {
    newest = earlier;
  }

  /** A leader has accepted this worker: what is shown from now on is of its lineage. */
  public void welcomed(long lineage, long visibleIndex, Hash visibleRoot) {
    newest =
        lineage == newest.lineage()
            ? at(visibleIndex, visibleRoot)
            : new SeenState(lineage, visibleIndex, visibleRoot);
  }

  /** The newest state, given the one that is shown now. */
  public SeenState at(long visibleIndex, Hash visibleRoot) {
    if (visibleIndex > newest.index()) {
      newest = new SeenState(newest.lineage(), visibleIndex, visibleRoot);
    }
    return newest;
  }
}

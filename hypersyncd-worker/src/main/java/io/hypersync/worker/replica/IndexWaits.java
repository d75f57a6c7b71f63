package io.hypersync.worker.replica;

import org.jspecify.annotations.Nullable;

/** What shall happen here once an entry of the log has happened here; on the agent's thread. */
public final class IndexWaits {
  private final IndexQueue<Runnable> waits = new IndexQueue<>();
  private long reached;

  /** Runs the action once {@code index} has been reached, at once if it has. */
  public void when(long index, Runnable action) {
    if (index <= reached) {
      action.run();
    } else {
      waits.add(index, action);
    }
  }

  /** The entries up to this one have happened here. */
  public void reached(long index) {
    reached = Math.max(reached, index);
    @Nullable Runnable next;
    while ((next = waits.pollReached(reached)) != null) {
      next.run();
    }
  }
}

package io.hypersync.worker.replica;

import org.jspecify.annotations.Nullable;

/** Callbacks that run once a log index is reached here; on the agent's thread. */
public final class IndexCallbacks {
  private final IndexQueue<Runnable> waits = new IndexQueue<>();
  private long reached;

  /** Runs the action once {@code index} is reached, at once if it has been. */
  public void when(long index, Runnable action) {
    if (index <= reached) {
      action.run();
    } else {
      waits.add(index, action);
    }
  }

  /** All entries up to this index are reached: runs the actions that waited for them. */
  public void reached(long index) {
    reached = Math.max(reached, index);
    @Nullable Runnable next;
    while ((next = waits.pollReached(reached)) != null) {
      next.run();
    }
  }
}

package io.hypersync.worker.replica;

import java.util.Comparator;
import java.util.PriorityQueue;

/** What shall happen here once an entry of the log has happened here; on the agent's thread. */
public final class IndexWaits {
  private record Wait(long index, long number, Runnable action) {}

  private final PriorityQueue<Wait> waits =
      new PriorityQueue<>(Comparator.comparingLong(Wait::index).thenComparingLong(Wait::number));
  private long reached;
  private long waitsMade;

  /** Runs the action once {@code index} has been reached, at once if it has. */
  public void when(long index, Runnable action) {
    if (index <= reached) {
      action.run();
    } else {
      waits.add(new Wait(index, waitsMade++, action));
    }
  }

  /** The entries up to this one have happened here. */
  public void reached(long index) {
    reached = Math.max(reached, index);
    while (!waits.isEmpty() && waits.element().index <= reached) {
      waits.remove().action.run();
    }
  }
}

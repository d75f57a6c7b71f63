package io.hypersync.runtime.agent;

import java.util.concurrent.RejectedExecutionException;

/** Runs tasks on a thread of its own, or on the caller's if that one rests. */
public interface CallerRuns {
  /**
   * Runs a task in this call, if nobody runs one; else on the other thread, soon. For threads that
   * bring what an agent is to do, and would else wake that one for it.
   *
   * @throws RejectedExecutionException if that thread has ended
   */
  void runOrExecute(Runnable task);
}

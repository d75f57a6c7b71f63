package io.hypersync.worker.daemon;

import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.fuse.session.FuseSession;
import java.util.function.Consumer;

/** Brings calls of the kernel to the agent. */
final class BroughtCalls {
  private BroughtCalls() {}

  /**
   * Calls the agent on this thread, if it is one that reads the device and the agent rests; else on
   * the agent's. Nobody interrupts a thread that reads the device. Others that bring requests are
   * interrupted when this worker ends, and an interrupt in the middle of a write closes the file of
   * the leader's log.
   */
  static void bring(AgentLoop<WorkerAgent> loop, Consumer<? super WorkerAgent> call) {
    if (FuseSession.isDeviceReader()) {
      loop.runOrPost(call);
    } else {
      loop.post(call);
    }
  }
}

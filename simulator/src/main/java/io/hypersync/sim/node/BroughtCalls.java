package io.hypersync.sim.node;

import io.hypersync.sim.mainhost.LocalWorkerLink;
import io.hypersync.sim.mainhost.SharedProcess;
import io.hypersync.sim.world.Host;
import org.jspecify.annotations.Nullable;

/**
 * How a worker's kernel brings its calls to the agent: to the agent's thread, or, in the leader's
 * process, also by running it.
 */
final class BroughtCalls {
  private final Host host;
  private final @Nullable SharedProcess process;
  private final @Nullable LocalWorkerLink link;

  BroughtCalls(Host host, @Nullable SharedProcess process, @Nullable LocalWorkerLink link) {
    this.host = host;
    this.process = process;
    this.link = link;
  }

  /** Brings a call as a caller may. */
  void bring(Runnable call) {
    if (process != null && link != null) {
      process.bring(link, () -> host.runNow(call));
    } else {
      host.execute(call);
    }
  }

  /** Whether something has arrived that the agent has not dealt with. */
  boolean hasUnread() {
    return link != null && link.hasUnread();
  }

  /** Runs this once all that has arrived was dealt with. */
  void whenRead(Runnable ready) {
    if (link == null) {
      ready.run();
    } else {
      host.execute(() -> host.after(0, "", () -> host.execute(ready)));
    }
  }

  /** A mutation was committed. */
  void committed() {
    if (process != null) {
      process.committed();
    }
  }
}

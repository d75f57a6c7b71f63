package io.hypersync.leader.port;

import io.hypersync.snapshot.HeldRestore;
import java.util.List;

/** Says durably which states are held because entries restore them, off the agent's thread. */
@FunctionalInterface
public interface RestoreHoldPort {
  /** A port for leaders that restore no states. */
  RestoreHoldPort NONE =
      _ -> {
        throw new IllegalStateException("this leader restores no states");
      };

  /**
   * Replaces what is said. Answered once, by {@code written} or {@code notWritten} of {@code
   * StateRestores}, unless the leader stops. There is one call at a time.
   */
  void write(List<HeldRestore> held);
}

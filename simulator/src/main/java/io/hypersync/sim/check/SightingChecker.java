package io.hypersync.sim.check;

import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * What a worker says that an agent has seen of a file is not less than its processes have read
 * (hypersync.md 11): nobody is told that it has not read what it has. Of one run of a worker.
 */
public final class SightingChecker {
  private final Map<Long, Reader> open = new HashMap<>();
  private final Map<Reader, Long> read = new HashMap<>();

  private record Reader(String agent, NodeId file) {}

  /** A process of an agent has opened a file for reading. */
  public void opened(long handle, String agent, NodeId file) {
    open.put(handle, new Reader(agent, file));
  }

  /**
   * Somebody has read what was opened.
   *
   * @param visible the newest entry that was visible when the call began
   */
  public void read(long handle, long visible) {
    Reader reader = open.get(handle);
    if (reader != null) {
      read.merge(reader, visible, Math::max);
    }
  }

  /** It is being closed. */
  public void closed(long handle) {
    open.remove(handle);
  }

  /**
   * A process of an agent writes a file.
   *
   * @param seen what its worker says, as in {@link CallContext}
   */
  public void writing(String agent, NodeId file, long seen) {
    if (seen == CallContext.NOT_KNOWN) {
      return;
    }
    Reader reader = new Reader(agent, file);
    Violation.unless(
        !open.containsValue(reader),
        agent,
        " is said to have seen ",
        file,
        " through entry ",
        seen,
        ", and has it open");
    long least = read.getOrDefault(reader, 0L);
    Violation.unless(
        seen >= least,
        agent,
        " has read ",
        file,
        " as of entry ",
        least,
        ", and is said to have seen it through entry ",
        seen);
  }
}

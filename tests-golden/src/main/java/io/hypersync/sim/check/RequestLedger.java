package io.hypersync.sim.check;

import io.hypersync.wire.agent.Clock;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every request of a kernel gets one answer, in time. */
public final class RequestLedger {
  private record Open(FuseRequest request, String worker, long madeNs) {}

  private final Clock clock;
  private final long longestWaitNs;
  private final Map<Long, Open> open = new LinkedHashMap<>();
  private long answered;

  /**
   * Nothing has been asked.
   *
   * @param longestWaitNs by when every request must have been answered
   */
  public RequestLedger(Clock clock, long longestWaitNs) {
    this.clock = clock;
    this.longestWaitNs = longestWaitNs;
  }

  /** A request is handed to the vfs. */
  public void made(String worker, FuseRequest request) {
    open.put(request.header().unique(), new Open(request, worker, clock.monotonicNs()));
  }

  /** It is answered. */
  public void answered(long unique) {
    Violation.unless(
        open.remove(unique) != null,
        "request ",
        unique,
        " was answered a second time, or never made");
    answered++;
  }

  /** The worker has crashed, and so have its processes. */
  public void abandoned(String worker) {
    for (Iterator<Open> each = open.values().iterator(); each.hasNext(); ) {
      if (each.next().worker.equals(worker)) {
        each.remove();
      }
    }
  }

  /** Nobody may wait longer than for the deadline. */
  public void checkDeadlines() {
    for (Open request : open.values()) {
      if (request.request.operation() instanceof FuseOperation.SetLk lock && lock.waiting()) {
        continue; // for as long as somebody holds it
      }
      long waitedNs = clock.monotonicNs() - request.madeNs;
      if (waitedNs > longestWaitNs) {
        throw new Violation(
            request.request
                + " on "
                + request.worker
                + " has been waiting for "
                + waitedNs / 1_000_000
                + " ms");
      }
      return;
    }
  }

  /** How many wait. */
  public int waiting() {
    return open.size();
  }

  /** How many were answered. */
  public long answeredCount() {
    return answered;
  }
}

package io.hypersync.sim.check;

import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Checks that every request of a kernel is answered exactly once, and in time. */
public final class RequestChecker {
  private record Open(FuseRequest request, String worker, long madeNs) {}

  private final Clock clock;
  private final long longestWaitNs;
  private final Map<RequestId, Open> open = new LinkedHashMap<>();

  /**
   * Creates a checker that has seen no request.
   *
   * @param longestWaitNs every request must have been answered after this time, in nanoseconds
   */
  public RequestChecker(Clock clock, long longestWaitNs) {
    this.clock = clock;
    this.longestWaitNs = longestWaitNs;
  }

  /** A request is passed to the vfs. */
  public void made(String worker, FuseRequest request) {
    open.put(request.header().unique(), new Open(request, worker, clock.monotonicNs()));
  }

  /** The request with this number is answered. */
  public void answered(RequestId unique) {
    Violation.unless(
        open.remove(unique) != null,
        "request ",
        unique,
        " was answered a second time, or never made");
  }

  /** The worker has crashed: its unanswered requests get no answer. */
  public void abandoned(String worker) {
    for (Iterator<Open> each = open.values().iterator(); each.hasNext(); ) {
      if (each.next().worker.equals(worker)) {
        each.remove();
      }
    }
  }

  /** Checks that no request has waited too long; blocking lock requests may wait without limit. */
  public void checkDeadlines() {
    for (Open request : open.values()) {
      if (request.request.operation() instanceof FuseOperation.SetLk lock && lock.waiting()) {
        continue; // waits for as long as another owner holds the lock
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

  /** Number of unanswered requests. */
  public int waiting() {
    return open.size();
  }
}

package io.hypersync.leader.visibility;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.transport.SessionId;
import org.jspecify.annotations.Nullable;

/** What is known of one run of a worker, over all its connections. */
final class LeasedWorker {
  /** How far a run is on the way to a lease. */
  enum State {
    /** It has no lease, and nothing waits for it. */
    OUT,
    /** It has no lease yet. Acknowledgements wait for it, so that it can catch up with them. */
    JOINING,
    /** It may hold a lease. */
    HOLDING,
    /** It gets no lease any more; its last one may not be over yet. */
    LEAVING
  }

  private final WorkerId worker;
  private final ClientId run;

  @Nullable SessionId session;
  State state = State.OUT;

  /** The newest entry that its processes see, as it says. */
  long settled;

  /** When its last lease is surely over; meaningless without one. */
  long leaseEndNs;

  /** Its newest report: what to repeat in the grant, and when it came. */
  long sentNs;

  long heardNs;
  boolean isUnanswered;

  /** How long the oldest acknowledgement has waited for it; 0 if it does not. */
  long blocksNs;

  /**
   * Whether it has reported on this connection. One that was connected when the mode was turned on
   * may not know of it yet, and be writable without a lease.
   */
  boolean isAware;

  /**
   * When what it has taken the announcement for is surely over; 0 if it was told before its
   * Welcome.
   */
  long unleasedUntilNs;

  LeasedWorker(WorkerId worker, ClientId run) {
    this.worker = worker;
    this.run = run;
  }

  WorkerId worker() {
    return worker;
  }

  ClientId run() {
    return run;
  }

  /** Whether acknowledgements wait for it. */
  boolean isCounted() {
    return state != State.OUT;
  }

  /** Whether it may hold a lease now. */
  boolean mayHoldLease() {
    return state == State.HOLDING || state == State.LEAVING;
  }

  /** Whether it is the one that answers this worker's calls: those are seen there when they end. */
  boolean answersCallsOf(WorkerId other) {
    return session != null && worker.equals(other);
  }
}

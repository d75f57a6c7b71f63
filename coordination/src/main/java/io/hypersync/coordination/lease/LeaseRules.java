package io.hypersync.coordination.lease;

import io.hypersync.coordination.lease.LeaseContent.Free;
import io.hypersync.coordination.lease.LeaseContent.Held;
import io.hypersync.coordination.lease.LeaseContent.Malformed;

/** Who may take a lease, and who may trust one, as one table. Tests break it line by line. */
class LeaseRules {
  /**
   * Whether somebody who waits may write the record.
   *
   * @param unchangedNs for how long this very revision has been seen, 0 at the first sight
   */
  boolean mayTake(LeaseContent found, long run, long unchangedNs, LeaseTimes times) {
    return switch (found) {
      case Free _ -> true;
      // Whoever holds it writes another revision within the time, whatever this one says.
      case Malformed _ -> isExpired(unchangedNs, times);
      // Its own: a write that was answered by an error, and has arrived all the same.
      case Held held -> held.run() == run || isExpired(unchangedNs, times);
    };
  }

  boolean isExpired(long unchangedNs, LeaseTimes times) {
    return unchangedNs > times.ttlNs();
  }

  /** Whether a lease that was trusted until a moment may be worked under. */
  boolean isTrusted(long nowNs, long trustedUntilNs) {
    return nowNs - trustedUntilNs < 0;
  }

  /** Whether a holder whose renewal was refused is the holder all the same. */
  boolean isOwn(LeaseContent found, long run) {
    return found instanceof Held held && held.run() == run;
  }

  /** Whether a process that does not want the lease any more may empty the record. */
  boolean mayRelease(LeaseContent found, long run) {
    return found instanceof Held held && held.run() == run;
  }
}

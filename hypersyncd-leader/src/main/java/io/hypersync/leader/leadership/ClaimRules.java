package io.hypersync.leader.leadership;

import io.hypersync.leader.leadership.ClaimContent.Free;
import io.hypersync.leader.leadership.ClaimContent.Held;
import io.hypersync.leader.leadership.ClaimContent.Malformed;

/** Who may take a claim, as one table. Tests break it line by line. */
class ClaimRules {
  /**
   * How often a claim is looked at: by who holds it, to refresh it, and by who waits for it. Tests
   * set it to less; all processes of a host must have the same.
   */
  static final long REFRESH_NS =
      Long.getLong("hypersync.leadership.refresh_ms", 5_000) * 1_000_000L;

  /**
   * A claim that was not refreshed for so long may be taken by others, and is not trusted by who
   * holds it: both measure by their own clock, which no correction of the time can move.
   */
  static final long STALE_NS = 2 * REFRESH_NS;

  /** What can be done about a claim that is not one's own. */
  enum Verdict {
    /** It can be taken. */
    TAKE,
    /** Another process leads, or may do so. */
    WAIT
  }

  /**
   * Judges what somebody finds who does not lead.
   *
   * @param unchangedNs for how long this very content has been seen, 0 at the first sight
   */
  Verdict verdict(
      ClaimContent found, String instance, long pid, long unchangedNs, HostProcesses processes) {
    return switch (found) {
      case Free _ -> Verdict.TAKE;
      // Whoever leads mends it within one refresh, so it is nobody's if nobody does.
      case Malformed _ -> unchangedNs > STALE_NS ? Verdict.TAKE : Verdict.WAIT;
      case Held(Claim claim) -> {
        if (claim.isOf(instance, pid) || !processes.isAlive(claim.pid())) {
          yield Verdict.TAKE;
        }
        // The pid may be another process's by now.
        yield isAbandoned(unchangedNs) ? Verdict.TAKE : Verdict.WAIT;
      }
    };
  }

  boolean isAbandoned(long unchangedNs) {
    return unchangedNs > STALE_NS;
  }

  /** Whether a process that does not lead any more may empty the file. */
  boolean mayRelease(ClaimContent found, String instance, long pid) {
    return found instanceof Held(Claim claim) && claim.isOf(instance, pid);
  }

  /** Whether who led is the leader of a workspace about which the file says nothing. */
  boolean leadsWithout(ClaimContent found, boolean trusted) {
    return trusted && !(found instanceof Held);
  }

  /** Whether a claim that was trusted until a moment may be acted upon. */
  boolean isTrusted(long nowNs, long trustedUntilNs) {
    return nowNs - trustedUntilNs < 0;
  }
}

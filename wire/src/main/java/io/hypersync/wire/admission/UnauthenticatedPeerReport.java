package io.hypersync.wire.admission;

import org.jspecify.annotations.Nullable;

/**
 * Produces the log line about unauthenticated peers that were turned away: at most one a minute,
 * however many there are.
 */
public final class UnauthenticatedPeerReport {
  /** Least time between two lines. */
  static final long INTERVAL_NS = 60_000_000_000L;

  /** How many unanswered Retry packets are worth a line; workers do answer theirs. */
  private static final long MANY_ASKED = 100;

  private HandshakeCounts told = HandshakeCounts.NONE;
  private long toldAtNs;

  /**
   * Makes a report whose first line may come at once.
   *
   * @param nowNs the time of a monotonic clock
   */
  public UnauthenticatedPeerReport(long nowNs) {
    toldAtNs = nowNs - INTERVAL_NS;
  }

  /** The line to log now, or null; call about once a second. */
  public @Nullable String next(HandshakeCounts now, long nowNs) {
    HandshakeCounts since = now.since(told);
    boolean turnedAway =
        since.refused() + since.badTokens() + since.stray() > 0
            || since.asked() - since.begun() >= MANY_ASKED;
    if (!turnedAway || nowNs - toldAtNs < INTERVAL_NS) {
      return null;
    }
    told = now;
    toldAtNs = nowNs;
    return "unauthenticated peers at the port: "
        + since.asked()
        + " were asked to prove their address, "
        + (since.refused() + since.badTokens() + since.stray())
        + " of their packets were dropped, and of "
        + since.begun()
        + " handshakes "
        + since.opened()
        + " were a worker's; workers that are connected do not notice. See \"handshakes\" in"
        + " status --json";
  }
}

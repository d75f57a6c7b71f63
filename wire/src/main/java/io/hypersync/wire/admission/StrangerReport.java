package io.hypersync.wire.admission;

import org.jspecify.annotations.Nullable;

/** One line in an interval about strangers who were turned away, however many they are. */
public final class StrangerReport {
  /** Between two lines. */
  static final long INTERVAL_NS = 60_000_000_000L;

  /** So many who were asked and did not come back are worth a line; workers come back. */
  private static final long MANY_ASKED = 100;

  private HandshakeCounts told = HandshakeCounts.NONE;
  private long toldAtNs;

  /**
   * Nothing was told yet.
   *
   * @param nowNs the time of a monotonic clock
   */
  public StrangerReport(long nowNs) {
    toldAtNs = nowNs - INTERVAL_NS;
  }

  /** What is to be written now, or null; to be asked every second or so. */
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
    return "strangers at the port: "
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

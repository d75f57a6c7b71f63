package io.hypersync.runtime.background;

/**
 * One job's part in the turns. It may be asked at each turn of a loop, and asks others once a
 * second at most while it is their turn. Single-threaded.
 */
public final class BackgroundTurn {
  /** Why a job was given up that others have their turn in. */
  public static final String OF_OTHERS = "another replica works in the background";

  private static final long ASK_NS = 1_000_000_000L;

  private final BackgroundJob job;
  private BackgroundTurns turns = BackgroundTurns.ALONE;
  private boolean wasRefused;
  private long refusedNs;

  /** Of a job that nobody else does, until {@link #with}. */
  public BackgroundTurn(BackgroundJob job) {
    this.job = job;
  }

  /** Those with whom it takes turns. Before the job begins for the first time. */
  public void with(BackgroundTurns others) {
    turns = others;
  }

  /**
   * Whether the job may begin; see {@link BackgroundTurns#begins}.
   *
   * @param nowNs monotonic
   */
  public boolean begins(long nowNs) {
    if (wasRefused && nowNs - refusedNs < ASK_NS) {
      return false;
    }
    wasRefused = !turns.begins(job);
    refusedNs = nowNs;
    return !wasRefused;
  }

  /** See {@link BackgroundTurns#ended}. */
  public void ended() {
    turns.ended(job);
  }
}

package io.hypersync.worker.link;

import io.hypersync.worker.WorkerConfig;

/**
 * Watches the leader and times the attempts to reach it. Silence is counted in slices in which the
 * worker itself was running: a worker that was paused for two seconds has not heard the leader for
 * two seconds either, and must read what has arrived meanwhile before it judges.
 */
public final class LinkMonitor {
  private static final int SLICES = 10;
  private static final long ELSEWHERE_MAX_NS = 30_000_000_000L;

  /** Rarely enough that nobody minds, soon enough for who waits for it. */
  static final long LONG_PAUSE_NS = 30_000_000_000L;

  private final WorkerConfig config;
  private LinkState state = LinkState.DOWN;
  private String reason = "not connected yet";
  private long nextAttemptNs;
  private long pauseNs;
  private long sliceEndNs;
  private int silentSlices;
  private long notLiveSinceNs;
  private boolean isLive;
  private boolean elsewhere;

  /** Down, and due to connect at once. */
  public LinkMonitor(WorkerConfig config, long nowNs) {
    this.config = config;
    this.nextAttemptNs = nowNs;
    this.notLiveSinceNs = nowNs;
    this.pauseNs = config.reconnectMinNs();
  }

  /** Where the link stands. */
  public LinkState state() {
    return state;
  }

  /** Why it is not live; empty when it is. */
  public String reason() {
    return reason;
  }

  /** Whether a connection is there, greeted or not. */
  public boolean isConnected() {
    return switch (state) {
      case GREETING, CATCHING_UP, LIVE -> true;
      case DOWN, CONNECTING, REFUSED -> false;
    };
  }

  /** Whether it is time for an attempt. */
  public boolean attemptIsDue(long nowNs) {
    return state == LinkState.DOWN && nowNs >= nextAttemptNs;
  }

  /** An attempt has begun. */
  public void connecting() {
    state = LinkState.CONNECTING;
  }

  /** The connection is up, and Hello is on its way. */
  public void greeting(long nowNs) {
    state = LinkState.GREETING;
    reason = "waiting for the leader's welcome";
    heard(nowNs);
  }

  /** The leader has welcomed us. */
  public void welcomed(long nowNs) {
    elsewhere = false;
    state = LinkState.CATCHING_UP;
    reason = "catching up";
    pauseNs = config.reconnectMinNs();
    heard(nowNs);
  }

  /** Everything that was committed when we were welcomed is applied. */
  public void live() {
    isLive = true;
    state = LinkState.LIVE;
    reason = "";
  }

  /** A message has come. */
  public void heard(long nowNs) {
    silentSlices = 0;
    sliceEndNs = nowNs + config.leaderTimeoutNs() / SLICES;
  }

  /**
   * Whether the leader has been silent for too long; to be asked after arrived messages are read.
   */
  public boolean isSilent(long nowNs) {
    if (!isConnected() || nowNs < sliceEndNs) {
      return false;
    }
    silentSlices++;
    sliceEndNs = nowNs + config.leaderTimeoutNs() / SLICES;
    return silentSlices >= SLICES;
  }

  /** The connection is lost, or could not be made; another attempt follows after a pause. */
  public void down(String why, long nowNs) {
    if (state == LinkState.DOWN && nextAttemptNs - nowNs > pauseNs) {
      return; // the end of a connection that the leader would not have: the long pause stands
    }
    notLive(nowNs);
    state = LinkState.DOWN;
    reason = why;
    pauseNs = Math.min(pauseNs, config.reconnectMaxNs());
    nextAttemptNs = nowNs + pauseNs;
    pauseNs = Math.min(pauseNs * 2, config.reconnectMaxNs());
  }

  /** Since when it is not live, of the monotonic clock; of no meaning while it is. */
  public long notLiveSinceNs() {
    return notLiveSinceNs;
  }

  private void notLive(long nowNs) {
    if (isLive) {
      isLive = false;
      notLiveSinceNs = nowNs;
    }
  }

  /**
   * The leader serves another worker of our name. That ends in a second if it was this worker
   * before its restart, and never if two machines share a token: the pauses grow to half a minute.
   *
   * @return whether it is worth a line in the log: the first time on end
   */
  public boolean takenElsewhere(String why, long nowNs) {
    boolean isNews = !elsewhere;
    elsewhere = true;
    notLive(nowNs);
    state = LinkState.DOWN;
    reason = why;
    nextAttemptNs = nowNs + pauseNs;
    pauseNs = Math.min(pauseNs * 2, ELSEWHERE_MAX_NS);
    return isNews;
  }

  /** The leader will not have us as it is now; it is asked again after a long pause. */
  public void downForLong(String why, long nowNs) {
    notLive(nowNs);
    state = LinkState.DOWN;
    reason = why;
    nextAttemptNs = nowNs + LONG_PAUSE_NS;
  }

  /** The leader will not have us. */
  public void refused(String why, long nowNs) {
    notLive(nowNs);
    state = LinkState.REFUSED;
    reason = why;
  }
}

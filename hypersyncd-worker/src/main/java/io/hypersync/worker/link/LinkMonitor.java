package io.hypersync.worker.link;

import io.hypersync.worker.WorkerConfig;

/**
 * The state of the link: detects a silent leader, and times the attempts to connect. Silence is
 * counted in ten slices, at most one for each check: a worker that was itself paused for two
 * seconds has not received anything for two seconds either, so it must read what has arrived before
 * it can judge. A worker whose machine was suspended is another matter: meanwhile the leader has
 * heard nothing and may have given its leases to others, so that time counts as silence at once.
 */
public final class LinkMonitor {
  private static final int SLICES = 10;
  private static final long ELSEWHERE_MAX_NS = 30_000_000_000L;

  /** Pause after a refusal that may end: rare enough to be cheap, short enough for an operator. */
  static final long LONG_PAUSE_NS = 30_000_000_000L;

  private final WorkerConfig config;
  private long timeoutNs;
  private LinkState state = LinkState.DOWN;
  private String reason = "not connected yet";
  private long nextAttemptNs;
  private long pauseNs;
  private long sliceEndNs;
  private int silentSlices;
  private long knownSuspendedNs;
  private long notLiveSinceNs;
  private boolean isLive;
  private boolean elsewhere;

  /** A link that is down and due to connect at once. */
  public LinkMonitor(WorkerConfig config, long nowNs) {
    this.config = config;
    this.timeoutNs = config.leaderTimeoutNs();
    this.nextAttemptNs = nowNs;
    this.notLiveSinceNs = nowNs;
    this.pauseNs = config.reconnectMinNs();
  }

  /** After so long a leader that is silent is unreachable, in nanoseconds (6.4). */
  public long timeoutNs() {
    return timeoutNs;
  }

  /** Another time from the next slice on: a leader that is silent already is not given it anew. */
  public void timeout(long changedNs) {
    timeoutNs = changedNs;
  }

  public LinkState state() {
    return state;
  }

  /** Why the link is not live; empty if it is. */
  public String reason() {
    return reason;
  }

  /** Whether a connection is up, with or without a Welcome. */
  public boolean isConnected() {
    return switch (state) {
      case HANDSHAKING, CATCHING_UP, LIVE -> true;
      case DOWN, CONNECTING, REFUSED -> false;
    };
  }

  /** Whether it is time for an attempt to connect. */
  public boolean attemptIsDue(long nowNs) {
    return state == LinkState.DOWN && nowNs >= nextAttemptNs;
  }

  public void connecting() {
    state = LinkState.CONNECTING;
  }

  /** The connection is up, and Hello is being sent. */
  public void handshaking(long nowNs) {
    state = LinkState.HANDSHAKING;
    reason = "waiting for the leader's welcome";
    heard(nowNs);
  }

  /** The leader has sent its Welcome. */
  public void welcomed(long nowNs) {
    elsewhere = false;
    state = LinkState.CATCHING_UP;
    reason = "catching up";
    pauseNs = config.reconnectMinNs();
    heard(nowNs);
  }

  /** Everything that was committed at the Welcome is visible here. */
  public void live() {
    isLive = true;
    state = LinkState.LIVE;
    reason = "";
  }

  /** A message has arrived. */
  public void heard(long nowNs) {
    silentSlices = 0;
    sliceEndNs = nowNs + timeoutNs / SLICES;
  }

  /**
   * Whether the leader has been silent for too long; to be called after arrived messages were read,
   * also while there is no connection. What arrived before the machine was suspended, and was read
   * behind that, says nothing of the leader as it is now.
   *
   * @param suspendedNs for how long the machine has been suspended so far
   */
  public boolean isSilent(long nowNs, long suspendedNs) {
    int slept = slicesAsleep(suspendedNs);
    if (!isConnected() || (slept == 0 && nowNs < sliceEndNs)) {
      return false;
    }
    silentSlices += Math.max(1, slept);
    sliceEndNs = nowNs + timeoutNs / SLICES;
    return silentSlices >= SLICES;
  }

  /** In how many slices the machine was suspended since the last look. */
  private int slicesAsleep(long suspendedNs) {
    long sleptNs = suspendedNs - knownSuspendedNs;
    knownSuspendedNs = suspendedNs;
    return Math.clamp(sleptNs * SLICES / Math.max(1, timeoutNs), 0, SLICES);
  }

  /** The connection is lost or could not be made; the next attempt follows after a pause. */
  public void down(String why, long nowNs) {
    if (state == LinkState.DOWN && nextAttemptNs - nowNs > pauseNs) {
      return; // the end of a connection that the leader has refused: the long pause stays
    }
    notLive(nowNs);
    state = LinkState.DOWN;
    reason = why;
    pauseNs = Math.min(pauseNs, config.reconnectMaxNs());
    nextAttemptNs = nowNs + pauseNs;
    pauseNs = Math.min(pauseNs * 2, config.reconnectMaxNs());
  }

  /** The next attempt is due, whatever pause was to be made. */
  public void connectSoon(long nowNs) {
    if (state == LinkState.DOWN) {
      nextAttemptNs = nowNs;
    }
  }

  /**
   * When the link last stopped being live, on the monotonic clock; meaningless while it is live.
   */
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
   * The leader serves another worker of this name. If that is this worker before its restart, it
   * ends within a second; if two hosts share a token, it never does. So the pauses grow, up to 30
   * s.
   *
   * @return whether to log this: true only the first time since the last Welcome
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

  /**
   * The leader has refused for a reason that may end; the next attempt follows after a long pause.
   */
  public void downForLong(String why, long nowNs) {
    notLive(nowNs);
    state = LinkState.DOWN;
    reason = why;
    nextAttemptNs = nowNs + LONG_PAUSE_NS;
  }

  /** The leader has refused for good; there is no further attempt. */
  public void refused(String why, long nowNs) {
    notLive(nowNs);
    state = LinkState.REFUSED;
    reason = why;
  }
}

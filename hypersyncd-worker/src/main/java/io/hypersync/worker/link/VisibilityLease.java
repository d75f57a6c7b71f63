package io.hypersync.worker.link;

import io.hypersync.wire.message.LeaderMessage;

/**
 * The lease without which this mount is read-only while {@code visibility} is everywhere: as long
 * as this worker holds it, the leader acknowledges nothing that is not visible here (decision 054).
 * It begins when the report was sent that the leader has answered, so it is over here before the
 * leader stops counting, however long the two messages took and wherever this process, or its
 * machine, was stopped meanwhile.
 *
 * <p>Written on the agent's thread; {@link #isNeeded} and {@link #isHeld} may be asked by any
 * thread. They need no lock: the end is written before it becomes needed, and a lease that is asked
 * for while it ends may be taken either way.
 */
public final class VisibilityLease {
  private static final long NS_PER_MS = 1_000_000;

  private volatile boolean needed;
  private volatile long endNs;
  private long beginNs;
  private long lengthNs;

  /** Starts with none, and none is needed. */
  public VisibilityLease() {}

  /** Whether the mount is writable only with a lease; any thread. */
  public boolean isNeeded() {
    return needed;
  }

  /**
   * Whether a lease that is needed is held; true if none is needed. Any thread.
   *
   * @param nowNs of the clock that goes on while the machine is suspended
   */
  public boolean isHeld(long nowNs) {
    return !needed || nowNs - endNs < 0;
  }

  /** How long a lease is; 0 before one was needed. On the agent's thread. */
  public long lengthNs() {
    return lengthNs;
  }

  /**
   * A connection is up: the leader says before its Welcome whether a lease is needed. What was
   * granted before does not count, because from this connection's Hello on the leader does not.
   */
  public void begins(long nowNs) {
    endNs = nowNs;
    needed = false;
    beginNs = nowNs;
  }

  /** Nothing more is heard on this connection: the lease is given up. */
  public void lost(long nowNs) {
    endNs = nowNs;
  }

  /**
   * Takes the leader's word.
   *
   * @param isLive whether this worker has caught up before, without a lease: then the first one is
   *     taken for granted, so that turning the mode on makes nobody read-only. The leader knows
   *     that its promise does not hold yet
   */
  public void told(LeaderMessage.VisibilityLease word, boolean isLive, long nowNs) {
    lengthNs = word.leaseMs() * NS_PER_MS;
    if (word.leaseMs() == 0) {
      needed = false;
    } else if (word.sentNs() == 0) {
      if (!needed) {
        endNs = isLive ? nowNs + lengthNs : nowNs;
      }
      needed = true;
    } else if (word.sentNs() - beginNs >= 0 && word.sentNs() - nowNs <= 0) {
      long granted = word.sentNs() + lengthNs;
      endNs = granted - endNs > 0 ? granted : endNs;
    }
  }
}

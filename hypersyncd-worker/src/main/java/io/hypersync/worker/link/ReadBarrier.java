package io.hypersync.worker.link;

import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.replica.IndexQueue;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The read barrier of hypersync.md 6.2: a caller that acts on what it sees here must not see less
 * than the leader is known to have committed, which is the commit index of the leader's last
 * message. If the leader has been silent for longer than LEADER_STALE_MS, it is asked for its
 * commit index first. Single-threaded, except {@link #isFresh}, which any thread may call.
 */
public final class ReadBarrier {
  private final LeaderLink link;

  /** Changed on the agent's thread. */
  private volatile long staleNs;

  private final IndexQueue<Waiter> reaching = new IndexQueue<>();
  private final ArrayDeque<Asking> asking = new ArrayDeque<>();
  private long lastRequest;
  private boolean unsent;
  private volatile boolean live;
  private volatile long commitIndex;
  private volatile long heardNs;

  /** A waiting call. Exactly one of its three callbacks runs, once, on the agent's thread. */
  public interface Waiter {
    /**
     * The kernel's number of the request whose caller waits; {@link RequestId#NONE} if no signal
     * may end the wait.
     */
    RequestId unique();

    /** What is visible here is fresh enough. */
    void fresh();

    /** The leader is unreachable, so freshness cannot be determined. */
    void leaderLost();

    /** The caller is about to end and no longer waits. */
    void interrupted();
  }

  private record Asking(long request, Waiter waiter) {}

  /**
   * Begins without a connection, so {@link #isFresh} is false.
   *
   * @param staleNs LEADER_STALE_MS in nanoseconds
   */
  public ReadBarrier(LeaderLink link, long staleNs) {
    this.link = link;
    this.staleNs = staleNs;
  }

  /** LEADER_STALE_MS, in nanoseconds. */
  public long staleNs() {
    return staleNs;
  }

  /** Another one from now on. */
  public void stale(long changedNs) {
    staleNs = changedNs;
  }

  /** The newest commit index that the leader has sent on this connection. */
  public long commitIndex() {
    return commitIndex;
  }

  /** How many calls wait. */
  public int waiting() {
    return reaching.size() + asking.size();
  }

  /** A message of the leader has arrived. */
  public void heard(long nowNs) {
    heardNs = nowNs;
  }

  /** A message of the leader carried this commit index. */
  public void observed(long index) {
    if (index > commitIndex) {
      commitIndex = index;
    }
  }

  /**
   * A new connection: commit indexes of earlier ones no longer count, because this leader's log may
   * be shorter, restored from a copy, and what becomes visible here is limited by the commit index.
   *
   * @param index this worker's applied index
   */
  public void begins(long index) {
    commitIndex = index;
  }

  /** Everything that the leader had committed at its Welcome is visible here. */
  public void live() {
    live = true;
  }

  /** The leader is unreachable: ends all waits with {@link Waiter#leaderLost}. */
  public void lost() {
    live = false;
    List<Waiter> waiters = reaching.drain();
    asking.forEach(waiter -> waiters.add(waiter.waiter));
    asking.clear();
    waiters.forEach(Waiter::leaderLost);
  }

  /** Whether the caller of a request waits here; {@code unique} is the request's number. */
  public boolean isWaiting(RequestId unique) {
    return find(unique) != null;
  }

  /**
   * The caller of a request is about to end: its wait ends.
   *
   * @return whether the request waited here
   */
  public boolean interrupt(RequestId unique) {
    Waiter interrupted = find(unique);
    if (interrupted == null) {
      return false;
    }
    reaching.remove(interrupted);
    asking.removeIf(each -> each.waiter.equals(interrupted));
    interrupted.interrupted();
    return true;
  }

  /**
   * Whether a call that begins now would not have to wait; any thread.
   *
   * @param settled the settled index of this worker
   */
  public boolean isFresh(long settled, long nowNs) {
    return live && settled >= commitIndex && nowNs - heardNs < staleNs;
  }

  /**
   * Calls the waiter once everything that is known to be committed by now is visible here; perhaps
   * at once.
   */
  public void whenFresh(long settled, long nowNs, Waiter waiter) {
    if (!live) {
      waiter.leaderLost();
    } else if (nowNs - heardNs >= staleNs) {
      ask(waiter);
    } else {
      await(commitIndex, settled, waiter);
    }
  }

  /**
   * Calls the waiter once everything that the leader has committed by now is visible here, which
   * the leader is asked for (5.3).
   */
  public void whenCurrent(Waiter waiter) {
    if (live) {
      ask(waiter);
    } else {
      waiter.leaderLost();
    }
  }

  /** The leader has answered a barrier request; {@code index} is its commit index. */
  public void answered(long request, long index, long settled) {
    observed(index);
    while (!asking.isEmpty() && asking.getFirst().request <= request) {
      await(index, settled, asking.removeFirst().waiter);
    }
  }

  /**
   * The settled index has advanced to {@code settled}. Also sends the pending barrier request, one
   * for all calls that came since the last one.
   */
  public void advance(long settled) {
    if (unsent) {
      unsent = false;
      link.send(new BarrierRequest(lastRequest));
    }
    @Nullable Waiter next;
    while ((next = reaching.pollReached(settled)) != null) {
      next.fresh();
    }
  }

  private @Nullable Waiter find(RequestId unique) {
    Waiter found = null;
    for (Waiter each : reaching) {
      found = each.unique().equals(unique) ? each : found;
    }
    for (Asking each : asking) {
      found = each.waiter.unique().equals(unique) ? each.waiter : found;
    }
    return found;
  }

  private void await(long index, long settled, Waiter waiter) {
    if (settled >= index) {
      waiter.fresh();
    } else {
      reaching.add(index, waiter);
    }
  }

  private void ask(Waiter waiter) {
    if (!unsent) {
      unsent = true;
      lastRequest++;
    }
    asking.addLast(new Asking(lastRequest, waiter));
  }
}

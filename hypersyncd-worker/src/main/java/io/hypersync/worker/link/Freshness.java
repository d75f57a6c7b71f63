package io.hypersync.worker.link;

import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.replica.IndexQueue;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The barrier of hypersync.md 6.2: who acts on what he sees here must not see less than the leader
 * is known to have committed. Known is what its last message said; if it has been silent for longer
 * than LEADER_STALE_MS it is asked first.
 *
 * <p>Single-threaded, except {@link #isFresh}, which any thread may call.
 */
public final class Freshness {
  private final LeaderLink link;
  private final long staleNs;
  private final IndexQueue<Waiter> reaching = new IndexQueue<>();
  private final ArrayDeque<Asking> asking = new ArrayDeque<>();
  private long lastRequest;
  private boolean unsent;
  private volatile boolean live;
  private volatile long commitIndex;
  private volatile long heardNs;

  /** Somebody who waits. One of the three is called, once, on the agent's thread. */
  public interface Waiter {
    /** The number of the request whose caller waits; 0 if no signal may end the wait. */
    long unique();

    /** What is visible here is fresh. */
    void fresh();

    /** The leader is out of reach: how fresh anything is cannot be known. */
    void leaderLost();

    /** The caller is about to end and waits no longer. */
    void interrupted();
  }

  private record Asking(long request, Waiter waiter) {}

  /**
   * Nothing has been heard yet.
   *
   * @param staleNs LEADER_STALE_MS in nanoseconds
   */
  public Freshness(LeaderLink link, long staleNs) {
    this.link = link;
    this.staleNs = staleNs;
  }

  /** The newest commit index that the leader has told. */
  public long commitIndex() {
    return commitIndex;
  }

  /** How many wait. */
  public int waiting() {
    return reaching.size() + asking.size();
  }

  /** The leader has said something. */
  public void heard(long nowNs) {
    heardNs = nowNs;
  }

  /** The leader has said how far it is. */
  public void observed(long index) {
    if (index > commitIndex) {
      commitIndex = index;
    }
  }

  /**
   * A new connection: what was said on earlier ones does not count any more, for the log of this
   * leader may be shorter, put back from a copy, and what becomes visible here goes by this index.
   *
   * @param index how far this worker is
   */
  public void begins(long index) {
    commitIndex = index;
  }

  /** The leader is in touch, and everything that it had when it came in touch is visible here. */
  public void live() {
    live = true;
  }

  /** The leader is out of touch: everybody who waits is told so. */
  public void lost() {
    live = false;
    List<Waiter> waiters = reaching.drain();
    asking.forEach(waiter -> waiters.add(waiter.waiter));
    asking.clear();
    waiters.forEach(Waiter::leaderLost);
  }

  /** Whether the caller of a request waits here. */
  public boolean isWaiting(long unique) {
    return find(unique) != null;
  }

  /**
   * The caller of a request is about to end.
   *
   * @return whether it has waited here
   */
  public boolean interrupt(long unique) {
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
   * Whether nobody would have to wait who begins now; any thread.
   *
   * @param visible how far this worker is
   */
  public boolean isFresh(long visible, long nowNs) {
    return live && visible >= commitIndex && nowNs - heardNs < staleNs;
  }

  /** Tells the waiter when what was committed by now, as far as is known, is visible here. */
  public void whenFresh(long visible, long nowNs, Waiter waiter) {
    if (!live) {
      waiter.leaderLost();
    } else if (nowNs - heardNs >= staleNs) {
      ask(waiter);
    } else {
      await(commitIndex, visible, waiter);
    }
  }

  /** Tells the waiter when what was committed by now, as the leader says, is visible here (5.3). */
  public void whenCurrent(Waiter waiter) {
    if (live) {
      ask(waiter);
    } else {
      waiter.leaderLost();
    }
  }

  /** The leader has answered. */
  public void answered(long request, long index, long visible) {
    observed(index);
    while (!asking.isEmpty() && asking.getFirst().request <= request) {
      await(index, visible, asking.removeFirst().waiter);
    }
  }

  /**
   * This worker has come so far. Sends what there is to ask: one question for all who came since.
   */
  public void advance(long visible) {
    if (unsent) {
      unsent = false;
      link.send(new BarrierRequest(lastRequest));
    }
    @Nullable Waiter next;
    while ((next = reaching.pollReached(visible)) != null) {
      next.fresh();
    }
  }

  private @Nullable Waiter find(long unique) {
    Waiter found = null;
    for (Waiter each : reaching) {
      found = each.unique() == unique ? each : found;
    }
    for (Asking each : asking) {
      found = each.waiter.unique() == unique ? each.waiter : found;
    }
    return found;
  }

  private void await(long index, long visible, Waiter waiter) {
    if (visible >= index) {
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

package io.hypersync.coordination.lease;

import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurns;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns by a lease. It is taken when a job of this process wants to begin, held while one runs, and
 * given back after it: so a leader and its standbys work one after the other, and none of them
 * holds the lease while it has nothing to do.
 *
 * <p>A job that has waited for {@link #OVERDUE_NS} begins without the lease: a store of locks that
 * cannot be reached must not make a log grow until the disk is full. So does, without asking, what
 * a user wants at once, and what a disk that runs full needs. Such a job is not ended by a lease
 * that is lost.
 *
 * <p>{@link #turn} and {@link #close} are called by one thread, which may block in the store; the
 * rest by any. The lock of this object is never held over a call of the store.
 */
public final class LeasedTurns implements BackgroundTurns {
  /** How long a job waits for its turn, in ns: ten minutes. */
  public static final long OVERDUE_NS = 600_000_000_000L;

  private static final Logger LOG = LoggerFactory.getLogger(LeasedTurns.class);

  private final BackgroundLease lease;
  private final LeaseTimes times;
  private final Clock clock;

  // Guarded by this.
  private final Map<BackgroundJob, Wish> wishes = new EnumMap<>(BackgroundJob.class);
  private final Set<BackgroundJob> underLease = EnumSet.noneOf(BackgroundJob.class);

  /** Whether a job has begun under the lease that is held. */
  private boolean hasWorked;

  /** Whether no job begins under the lease, since it is about to be given back. */
  private boolean givesBack;

  // Of the thread that calls turn.
  private boolean wanted;
  private long nextNs;
  private long earliestNs;

  private enum Next {
    NOTHING,
    /** Take the lease, or renew it. */
    KEEP,
    GIVE_BACK
  }

  /** When a job asked first, and last, without being heard. */
  private record Wish(long sinceNs, long lastNs) {}

  /**
   * Turns of one process.
   *
   * @param lease which nobody else in this process uses
   * @param times of that lease
   */
  public LeasedTurns(BackgroundLease lease, LeaseTimes times, Clock clock) {
    this.lease = lease;
    this.times = times;
    this.clock = clock;
    this.nextNs = clock.monotonicNs();
    this.earliestNs = nextNs;
  }

  @Override
  public synchronized boolean begins(BackgroundJob job) {
    long nowNs = clock.monotonicNs();
    if (!givesBack && lease.mayWork()) {
      wishes.remove(job);
      underLease.add(job);
      hasWorked = true;
      return true;
    }
    Wish wish = wishes.get(job);
    if (wish == null || isForgotten(wish, nowNs)) {
      wishes.put(job, new Wish(nowNs, nowNs));
      return false;
    }
    if (nowNs - wish.sinceNs() >= OVERDUE_NS) {
      wishes.remove(job);
      LOG.warn(
          "a {} begins without the lease for work in the background, for which it has waited for"
              + " ten minutes",
          job.text());
      return true;
    }
    wishes.put(job, new Wish(wish.sinceNs(), nowNs));
    return false;
  }

  /** A job that does not ask any more has no wish: its occasion is over. */
  private boolean isForgotten(Wish wish, long nowNs) {
    return nowNs - wish.lastNs() > times.ttlNs();
  }

  @Override
  public boolean goesOn(BackgroundJob job) {
    if (lease.mayWork()) {
      return true;
    }
    synchronized (this) {
      return !underLease.contains(job);
    }
  }

  @Override
  public synchronized void ended(BackgroundJob job) {
    underLease.remove(job);
  }

  /**
   * One turn: takes or renews the lease while it is wanted, else gives it back. Blocks for as long
   * as the store does.
   */
  public void turn() {
    long nowNs = clock.monotonicNs();
    switch (next(nowNs)) {
      case NOTHING -> wanted = false;
      case KEEP -> {
        if (!wanted) {
          wanted = true;
          nextNs = Math.max(nowNs, earliestNs);
        }
        if (nowNs - nextNs >= 0) {
          nextNs = Clock.later(clock.monotonicNs(), lease.turn());
        }
      }
      case GIVE_BACK -> {
        try {
          lease.standAside();
        } finally {
          wanted = false;
          // Whoever waits elsewhere looks once in this time, and has its chance first.
          earliestNs = Clock.later(clock.monotonicNs(), times.acquireNs());
          synchronized (this) {
            givesBack = false;
            hasWorked = false;
          }
        }
      }
    }
  }

  private synchronized Next next(long nowNs) {
    wishes.values().removeIf(wish -> isForgotten(wish, nowNs));
    if (!underLease.isEmpty()) {
      return Next.KEEP;
    }
    boolean isHeld = lease.view().phase() == BackgroundLease.Phase.HOLDING;
    if (isHeld && (hasWorked || wishes.isEmpty())) {
      givesBack = true;
      return Next.GIVE_BACK;
    }
    return wishes.isEmpty() ? Next.NOTHING : Next.KEEP;
  }

  @Override
  public Standing standing() {
    BackgroundLease.View view = lease.view();
    String holder = "";
    long sinceMs = 0;
    if (view.content() instanceof LeaseContent.Held held) {
      holder = held.holder();
      sinceMs = held.acquiredAtMs();
    } else if (view.content() instanceof LeaseContent.Malformed) {
      holder = "?";
    }
    return new Standing(holder, lease.mayWork(), sinceMs, view.revision(), view.problem());
  }

  /** Gives the lease back for good. To be called when no job runs any more. */
  public void close() {
    lease.release();
  }
}

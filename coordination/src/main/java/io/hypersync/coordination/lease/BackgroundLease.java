package io.hypersync.coordination.lease;

import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.CasStore;
import io.hypersync.coordination.lease.LeaseContent.Free;
import io.hypersync.coordination.lease.LeaseContent.Held;
import io.hypersync.coordination.lease.LeaseContent.Malformed;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.LogEvent;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process's part in who does the work in the background. It waits until it can take the lease,
 * holds and renews it, and waits again when it has lost it.
 *
 * <p>One thread calls {@link #turn}, {@link #standAside} and {@link #release}; any thread asks
 * {@link #mayWork}, and {@link #view}.
 *
 * <p><b>The lease spares work and proves nothing.</b> Who was stopped after it asked works on
 * beside the next holder. So whatever is done under the lease must be right without it: its result
 * is written by compare-and-swap, or only touches what is the process's own.
 *
 * <p><b>No clock of another host is believed.</b> A holder trusts its lease for {@code ttl} from
 * the moment before the write of it. Who waits takes it when it has seen one revision for longer,
 * by its own monotonic clock, from a moment after that write. So even fast and jumping clocks of
 * the day take nobody's lease, and two that ask never both hear yes unless the one clock counts
 * seconds faster than the other.
 *
 * <p><b>An error may have written.</b> A record that names this run is this process's, whichever of
 * its writes has left it: its revision is taken over, though the trust is not prolonged by that.
 */
public final class BackgroundLease {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundLease.class);
  private static final byte[] RELEASED = new byte[0];
  private static final long NS_PER_MS = 1_000_000;

  private final String key;
  private final String holder;
  private final long run;
  private final LeaseTimes times;
  private final CasStore store;
  private final Clock clock;
  private final LeaseRules rules;

  private volatile Phase phase = Phase.WAITING;

  /** Written before {@link #phase} says that the lease is held. */
  private volatile long trustedUntilNs;

  private volatile View view;

  // Of the thread that calls turn.
  private Held own;
  private long revision;
  private LeaseContent seen = new Free();
  private long seenRevision;
  private long seenSinceNs;
  private String problem = "";

  /** Where a process is in this. */
  public enum Phase {
    /** Another process holds the lease, or may do so. */
    WAITING,
    /** This process holds it. */
    HOLDING,
    /** It was released for good. */
    OVER
  }

  /**
   * What is known, for status reports.
   *
   * @param holder the name of this process
   * @param content what the record said last; free before the first look
   * @param revision of the record; 0 if there is none
   * @param problem why the store cannot be used; empty if it can
   */
  public record View(
      Phase phase, String holder, LeaseContent content, long revision, String problem) {}

  /**
   * Begins to wait for a lease.
   *
   * @param key of the lease's record in the store
   * @param holder the name of this process, from {@link LeaseHolder#name}
   * @param run a random number of this object
   */
  public BackgroundLease(
      String key, String holder, long run, LeaseTimes times, CasStore store, Clock clock) {
    this(key, holder, run, times, store, clock, new LeaseRules());
  }

  BackgroundLease(
      String key,
      String holder,
      long run,
      LeaseTimes times,
      CasStore store,
      Clock clock,
      LeaseRules rules) {
    this.key = key;
    this.holder = holder;
    this.run = run;
    this.times = times;
    this.store = store;
    this.clock = clock;
    this.rules = rules;
    this.own = new Held(holder, run, 0);
    this.view = new View(Phase.WAITING, holder, new Free(), 0, "");
  }

  /**
   * Whether this process may work in the background at this moment. To be asked before a job begins
   * and between its steps; a job that hears no ends. Answered from memory.
   */
  public boolean mayWork() {
    // The time is read after the phase, so it is the one of this holding or of a later one.
    return phase == Phase.HOLDING && rules.isTrusted(clock.monotonicNs(), trustedUntilNs);
  }

  /**
   * One turn: takes the lease if that is possible, or renews it. Blocks for as long as the store
   * does. The first one is to follow at once.
   *
   * @return after how long the next one is due, in ns
   */
  public long turn() {
    try {
      long next =
          switch (phase) {
            case WAITING -> take();
            case HOLDING -> renew();
            case OVER -> times.acquireNs();
          };
      problem = "";
      return next;
    } catch (CasException e) {
      tell(String.valueOf(e.getMessage()));
      return times.acquireNs();
    } finally {
      publish();
    }
  }

  private long take() throws CasException {
    long lookedNs = clock.monotonicNs();
    Optional<CasRecord> found = store.read(key);
    LeaseContent content = content(found);
    see(found, content);
    if (found.isPresent()
        && !rules.mayTake(content, run, Math.max(0, lookedNs - seenSinceNs), times)) {
      LOG.debug("lease {} is held by {}, revision {}", key, describe(content), seenRevision);
      return times.acquireNs();
    }
    Held wanted = new Held(holder, run, clock.epochNs() / NS_PER_MS);
    long beganNs = clock.monotonicNs();
    Optional<Long> written =
        found.isPresent()
            ? store.update(key, LeaseText.of(wanted), found.get().revision())
            : store.create(key, LeaseText.of(wanted));
    if (written.isEmpty()) {
      LOG.debug("lease {}: another process was faster", key);
      return times.acquireNs();
    }
    own = wanted;
    holds(written.get(), beganNs);
    phase = Phase.HOLDING;
    if (content instanceof Free) {
      LOG.info(
          LogEvent.LEASE.marker(),
          "lease {} acquired: holder {}, revision {}",
          key,
          holder,
          revision);
    } else {
      LOG.info(
          LogEvent.LEASE.marker(),
          "lease {} taken over from {}: holder {}, revision {}",
          key,
          describe(content),
          holder,
          revision);
    }
    return times.renewNs();
  }

  private long renew() throws CasException {
    long beganNs = clock.monotonicNs();
    Optional<Long> written = store.update(key, LeaseText.of(own), revision);
    if (written.isEmpty()) {
      Optional<CasRecord> found = store.read(key);
      LeaseContent content = content(found);
      see(found, content);
      if (!rules.isOwn(content, run)) {
        lost(content);
        return times.acquireNs();
      }
      // A renewal that was answered by an error has arrived after all.
      revision = seenRevision;
      beganNs = clock.monotonicNs();
      written = store.update(key, LeaseText.of(own), revision);
    }
    if (written.isEmpty()) {
      return times.acquireNs(); // yet another one; the next turn looks again
    }
    holds(written.get(), beganNs);
    LOG.debug("lease {} renewed: holder {}, revision {}", key, holder, revision);
    return times.renewNs();
  }

  private void holds(long written, long beganNs) {
    revision = written;
    trustedUntilNs = beganNs + times.ttlNs();
    seen = own;
    seenRevision = written;
    seenSinceNs = clock.monotonicNs();
  }

  private void lost(LeaseContent content) {
    phase = Phase.WAITING;
    LOG.info(
        LogEvent.LEASE.marker(),
        "lease {} lost to {}: holder {}, revision {}; work in the background ends",
        key,
        describe(content),
        holder,
        revision);
  }

  /**
   * Gives the lease back, so that others take it at once, and ends this. To be called when no job
   * runs any more. If the store cannot be used others take it after {@code ttl}.
   */
  public void release() {
    if (phase != Phase.OVER) {
      giveBack(Phase.OVER);
    }
  }

  /** Gives the lease back like {@link #release}; the next {@link #turn} asks for it again. */
  public void standAside() {
    if (phase == Phase.HOLDING) {
      giveBack(Phase.WAITING);
    }
  }

  private void giveBack(Phase after) {
    phase = after;
    try {
      // A write that was answered by an error may have left a lease that this process does not
      // know of, or another revision than it knows.
      Optional<CasRecord> found = store.read(key);
      LeaseContent content = content(found);
      see(found, content);
      if (found.isPresent() && rules.mayRelease(content, run)) {
        Optional<Long> written = store.update(key, RELEASED, seenRevision);
        if (written.isPresent()) {
          seen = new Free();
          seenRevision = written.get();
          LOG.info(
              LogEvent.LEASE.marker(),
              "lease {} released: holder {}, revision {}",
              key,
              holder,
              written.get());
        }
      }
    } catch (CasException e) {
      LOG.info(
          "lease {} could not be released, others take it when it expires: holder {}, revision {}:"
              + " {}",
          key,
          holder,
          revision,
          e.getMessage());
    } finally {
      publish();
    }
  }

  /** What is known; any thread. */
  public View view() {
    return view;
  }

  private void see(Optional<CasRecord> found, LeaseContent content) {
    long there = found.map(CasRecord::revision).orElse(0L);
    seen = content;
    if (there != seenRevision) {
      seenRevision = there;
      seenSinceNs = clock.monotonicNs(); // after the read, so after the write that it has found
    }
  }

  /** Says it once, not at each turn. */
  private void tell(String now) {
    if (!now.equals(problem)) {
      problem = now;
      LOG.warn("lease {} cannot be used: {}", key, now);
    }
  }

  private void publish() {
    view = new View(phase, holder, seen, seenRevision, problem);
  }

  private static LeaseContent content(Optional<CasRecord> found) {
    return found.isPresent() ? LeaseText.parse(found.get().value()) : new Free();
  }

  private static String describe(LeaseContent content) {
    return switch (content) {
      case Free _ -> "nobody";
      case Malformed _ -> "somebody who wrote something else";
      case Held held -> "holder " + held.holder();
    };
  }
}

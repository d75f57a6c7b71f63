package io.hypersync.leader.visibility;

import io.hypersync.leader.sequencer.AckGate;
import io.hypersync.leader.sequencer.OldestAck;
import io.hypersync.leader.visibility.LeasedWorker.State;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.wire.message.LeaderMessage.VisibilityLease;
import io.hypersync.wire.message.WorkerMessage.WorkerVisible;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds acknowledgements back until what they tell of is visible on every mount that can write
 * (decision 054). Three rules make that safe:
 *
 * <ol>
 *   <li>A worker is writable only while it holds a lease, by its own clock, which begins when it
 *       sent the report that the grant answers. The leader received that report later. So a worker
 *       is counted for as long as it can hold a lease if it is counted from the report's arrival on
 *       for the length of the lease, and a tenth more because clocks run differently.
 *   <li>An acknowledgement passes only when all that are counted have made its entry visible, apart
 *       from the worker whose call it is: that one answers its caller when the entry is visible
 *       there.
 *   <li>A first lease is given only when the worker has been counted since an earlier moment, and
 *       shows all that has been acknowledged before.
 * </ol>
 *
 * <p>Used on the agent's thread only.
 */
public final class VisibleEverywhere implements AckGate {
  private static final Logger LOG = LoggerFactory.getLogger(VisibleEverywhere.class);
  private static final long NS_PER_MS = 1_000_000;

  /** A worker that is further behind is not waited for yet: it has to catch up first. */
  private static final long MAX_JOIN_LAG = 1_024;

  /** So often in the time of a lease it is renewed. */
  private static final int RENEWALS = 10;

  /** A clock that runs slower or faster than another by less than one part in so many is right. */
  private static final int CLOCK_MARGIN = 10;

  /**
   * A worker is found too slow in so many looks at least. One acknowledgement may wait for it so
   * much of the timeout without being held against it, and it may be slow for so much of the time.
   */
  private static final int SLICES = 10;

  /** A worker that was too slow gets no lease for half as long as it was waited for. */
  private static final int FIRST_PAUSE = 2;

  /** Each time that it is so again the pause doubles, up to so many times what is waited. */
  private static final int LONGEST_PAUSE = 32;

  /** The most doublings that are counted. */
  private static final int MAX_TIMES = 16;

  private final BiConsumer<SessionId, VisibilityLease> sender;
  private final Consumer<SessionId> hangUp;
  private final LongSupplier durableIndex;
  private final Map<ClientId, LeasedWorker> runs = new LinkedHashMap<>();

  /** By worker, not by run: a new run does not make it faster. */
  private final Map<WorkerId, Pause> pauses = new HashMap<>();

  /**
   * For how long acknowledgements have waited for each worker lately, one after the other, each
   * beyond what it may; by worker, like the pauses. Without an entry: for none.
   */
  private final Map<WorkerId, Long> slowNs = new HashMap<>();

  private VisibilityOptions options = VisibilityOptions.DEFAULT;
  private Visibility mode = Visibility.OWN;

  /** Everything up to here may have been acknowledged. */
  private long told;

  /** Leases that this run of the leader knows nothing of are over then. */
  private long heldUntilNs;

  private boolean isHeld;
  private long turnedNs;
  private long lookedNs;
  private long nextGrantNs;
  private @Nullable OldestAck oldest;
  private long cutOffs;

  private record Pause(int times, long untilNs) {}

  /**
   * A worker that is counted, or waits to be; for reports.
   *
   * @param isOnline whether it is connected
   * @param behind how many durable entries it does not show
   * @param blocksNs how long the oldest acknowledgement has waited for it, 0 if it does not
   * @param pausedNs how long it gets no lease because it was too slow, 0 if it may have one
   */
  public record Counted(
      WorkerId worker,
      boolean isOnline,
      boolean isCounted,
      boolean mayHoldLease,
      long behind,
      long blocksNs,
      long pausedNs) {}

  /**
   * Starts with {@link Visibility#OWN}: answers wait for nobody.
   *
   * @param sender sends to a connection
   * @param hangUp ends a connection
   * @param durableIndex the newest durable entry
   */
  public VisibleEverywhere(
      BiConsumer<SessionId, VisibilityLease> sender,
      Consumer<SessionId> hangUp,
      LongSupplier durableIndex,
      long nowNs) {
    this.sender = sender;
    this.hangUp = hangUp;
    this.durableIndex = durableIndex;
    this.heldUntilNs = nowNs + longest();
  }

  /**
   * Begins with these options, before the first worker has come. Until the leases are over that an
   * earlier run of the leader may have given, nothing is acknowledged.
   */
  public void begin(VisibilityOptions chosen, long nowNs) {
    options = chosen;
    heldUntilNs = nowNs + longest();
    turn(chosen.mode(), nowNs);
  }

  /** Where changes are visible when their calls return. */
  public Visibility mode() {
    return mode;
  }

  /** The options with which it has begun. */
  public VisibilityOptions options() {
    return options;
  }

  /** Whether answers may have to wait. */
  public boolean isOn() {
    return mode == Visibility.EVERYWHERE;
  }

  /**
   * Turns the mode on or off. When it is turned on, the promise holds as soon as {@link #inForce}.
   */
  public void turn(Visibility wanted, long nowNs) {
    if (wanted == mode) {
      return;
    }
    mode = wanted;
    turnedNs = nowNs;
    oldest = null;
    if (isOn()) {
      told = durableIndex.getAsLong(); // or less
      isHeld = nowNs - heldUntilNs < 0;
      nextGrantNs = nowNs;
    }
    for (LeasedWorker each : runs.values()) {
      if (each.mayHoldLease() && each.leaseEndNs - heldUntilNs > 0) {
        heldUntilNs = each.leaseEndNs; // one that has not heard of it yet, if this is turned back
      }
      each.state = State.OUT;
      each.isAware = false;
      each.blocksNs = 0;
      if (each.session != null) {
        sender.accept(each.session, new VisibilityLease(isOn() ? leaseMs() : 0, 0));
      }
    }
    runs.values().removeIf(each -> each.session == null);
  }

  /**
   * Tells a connection if a lease is needed. To be called before its Welcome is sent, so that the
   * worker knows before it can be live.
   */
  public void announce(SessionId session) {
    if (isOn()) {
      sender.accept(session, new VisibilityLease(leaseMs(), 0));
    }
  }

  /** A Hello was accepted. A worker that connects anew has given up the lease it had before. */
  public void established(SessionId session, WorkerId worker, ClientId run) {
    LeasedWorker row = runs.computeIfAbsent(run, _ -> new LeasedWorker(worker, run));
    row.session = session;
    row.state = State.OUT;
    row.settled = 0;
    row.blocksNs = 0;
    row.isAware = true; // it was told before the Welcome
    row.isUnanswered = false;
    row.unleasedUntilNs = 0;
  }

  /** A connection has ended. Its worker may not know it yet. */
  public void ended(SessionId session) {
    LeasedWorker row = of(session);
    if (row != null) {
      row.session = null;
      row.isUnanswered = false;
      if (row.state == State.JOINING) {
        row.state = State.OUT;
      }
      if (!row.isCounted()) {
        runs.remove(row.run());
      }
    }
  }

  /** A worker says what its processes see. */
  public void reported(SessionId session, WorkerVisible report, long nowNs) {
    LeasedWorker row = of(session);
    if (!isOn() || row == null) {
      return;
    }
    if (!row.isAware) {
      row.isAware = true;
      row.unleasedUntilNs = nowNs + longest();
    }
    long durable = durableIndex.getAsLong();
    row.settled = Math.max(row.settled, Math.min(report.settledIndex(), durable));
    row.sentNs = report.sentNs();
    row.heardNs = nowNs;
    row.isUnanswered = true;
    if (row.state == State.OUT
        && pausedNs(row.worker(), nowNs) == 0
        && durable - row.settled <= MAX_JOIN_LAG) {
      row.state = State.JOINING; // counted from now on, so `told` does not run away from it
      row.blocksNs = 0;
    }
    if (row.state == State.JOINING && row.settled >= told) {
      row.state = State.HOLDING;
      grant(row);
    }
  }

  @Override
  public boolean admits(WorkerId worker, long index) {
    if (!isOn()) {
      return true;
    }
    if (isHeld) {
      return false;
    }
    for (LeasedWorker each : runs.values()) {
      if (each.isCounted() && each.settled < index && !each.answersCallsOf(worker)) {
        return false;
      }
    }
    told = Math.max(told, index);
    return true;
  }

  /**
   * Ends leases that are over, and gives new ones. To be called before answers are released.
   *
   * @return whether answers may pass now that did not before
   */
  public boolean tick(long nowNs) {
    if (!isOn()) {
      return false;
    }
    boolean wasHeld = isHeld;
    isHeld = nowNs - heldUntilNs < 0;
    boolean opens = wasHeld && !isHeld;
    for (LeasedWorker each : List.copyOf(runs.values())) {
      if (each.mayHoldLease() && nowNs - each.leaseEndNs >= 0) {
        each.state = State.OUT;
        each.blocksNs = 0;
        opens = true;
        if (each.session == null) {
          runs.remove(each.run());
        }
      }
      if (!each.isAware && each.session != null && nowNs - turnedNs >= options.timeoutNs()) {
        hangUp.accept(each.session); // by the time it is back it knows
      }
    }
    if (nowNs - nextGrantNs >= 0) {
      nextGrantNs = nowNs + options.leaseNs() / RENEWALS;
      for (LeasedWorker each : runs.values()) {
        if (each.state == State.HOLDING && each.isUnanswered) {
          grant(each);
        }
      }
    }
    return opens;
  }

  /**
   * Says which answer is the next one, after others were released. Whoever it waits for too long
   * gets no lease any more; and so does a worker that each of several waits for, less long, but for
   * as long together.
   *
   * @param next the oldest answer that rests on durable entries only; null if there is none
   */
  public void waits(@Nullable OldestAck next, long nowNs) {
    if (!isOn()) {
      return;
    }
    // In slices: a leader that was paused has not read yet what has come meanwhile.
    long passedNs = Math.min(nowNs - lookedNs, options.timeoutNs() / SLICES);
    lookedNs = nowNs;
    boolean isAnother = next == null || isHeld || !next.equals(oldest);
    oldest = next;
    Set<WorkerId> slow = new HashSet<>(0);
    for (LeasedWorker each : runs.values()) {
      if (next == null
          || isAnother
          || !each.isCounted()
          || each.settled >= next.index()
          || each.answersCallsOf(next.worker())) {
        each.blocksNs = 0;
      } else {
        each.blocksNs += passedNs;
        boolean isLate = each.blocksNs > options.timeoutNs() / SLICES;
        if (isLate && each.state != State.LEAVING && slow.add(each.worker())) {
          slowNs.merge(each.worker(), passedNs, Long::sum);
        }
        if (each.blocksNs >= options.timeoutNs()
            || slowNs.getOrDefault(each.worker(), 0L) >= options.timeoutNs()) {
          cutOff(each, next, nowNs);
        }
      }
    }
    slowNs.replaceAll((who, ns) -> slow.contains(who) ? ns : ns - passedNs / SLICES);
    slowNs.values().removeIf(ns -> ns <= 0);
  }

  private void cutOff(LeasedWorker slow, OldestAck next, long nowNs) {
    if (slow.state == State.LEAVING) {
      return;
    }
    slow.state = slow.state == State.JOINING ? State.OUT : State.LEAVING;
    slowNs.remove(slow.worker());
    cutOffs++;
    Pause before = pauses.get(slow.worker());
    long longestNs = options.timeoutNs() * LONGEST_PAUSE;
    boolean isNew = before == null || nowNs - before.untilNs >= longestNs;
    int times = before == null || isNew ? 0 : Math.min(before.times + 1, MAX_TIMES);
    long pauseNs = Math.min((options.timeoutNs() / FIRST_PAUSE) << times, longestNs);
    long fromNs = slow.state == State.OUT ? nowNs : slow.leaseEndNs;
    pauses.put(slow.worker(), new Pause(times, fromNs + pauseNs));
    LOG.warn(
        LogEvent.WORKER_CUT_OFF.marker(),
        "worker {} does not show entry {} after {} ms, or has shown several in a row too late: it is"
            + " read-only for {} ms at least, and not waited for",
        slow.worker(),
        next.index(),
        slow.blocksNs / NS_PER_MS,
        pauseNs / NS_PER_MS);
  }

  /**
   * Whether the promise holds: what is acknowledged is visible on every mount that can write.
   *
   * @param nowNs monotonic
   */
  public boolean inForce(long nowNs) {
    return isOn()
        && !isHeld
        && runs.values().stream()
            .allMatch(
                each ->
                    each.mayHoldLease()
                        || (each.isAware
                            && (each.unleasedUntilNs == 0 || nowNs - each.unleasedUntilNs >= 0)));
  }

  /** How often a worker was too slow. */
  public long cutOffs() {
    return cutOffs;
  }

  /** What is known of each worker; empty unless the mode is on. */
  public List<Counted> workers(long nowNs) {
    List<Counted> all = new ArrayList<>();
    if (isOn()) {
      for (LeasedWorker each : runs.values()) {
        all.add(
            new Counted(
                each.worker(),
                each.session != null,
                each.isCounted(),
                each.mayHoldLease(),
                Math.max(0, durableIndex.getAsLong() - each.settled),
                each.blocksNs,
                pausedNs(each.worker(), nowNs)));
      }
    }
    return all;
  }

  private void grant(LeasedWorker row) {
    SessionId session = row.session;
    if (session != null) {
      row.isUnanswered = false;
      row.leaseEndNs = row.heardNs + longest(); // before it is sent
      sender.accept(session, new VisibilityLease(leaseMs(), row.sentNs));
    }
  }

  private long pausedNs(WorkerId worker, long nowNs) {
    Pause pause = pauses.get(worker);
    return pause == null ? 0 : Math.max(0, pause.untilNs - nowNs);
  }

  /** How long a worker can hold a lease, from the arrival of the report that it answers on. */
  private long longest() {
    return options.leaseNs() + options.leaseNs() / CLOCK_MARGIN;
  }

  private int leaseMs() {
    return Math.toIntExact(options.leaseNs() / NS_PER_MS);
  }

  private @Nullable LeasedWorker of(SessionId session) {
    for (LeasedWorker each : runs.values()) {
      if (session.equals(each.session)) {
        return each;
      }
    }
    return null;
  }
}

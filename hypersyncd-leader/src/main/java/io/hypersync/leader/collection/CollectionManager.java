package io.hypersync.leader.collection;

import io.hypersync.leader.lease.Orphans;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.CollectionPort;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionReport.Kind;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.leader.port.LogKeeper;
import io.hypersync.leader.port.LogKeeper.Reason;
import io.hypersync.leader.port.PinNotes;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.StateWalk;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurn;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when dead chunks are collected, and from what everything alive is reached (hypersync.md
 * 14.2). Called on the agent's thread; one run at a time is under way on the port.
 *
 * <p>Nothing that is needed is removed, because the roots are taken after the store has begun, in
 * one turn of the agent. A chunk that is needed later is then
 *
 * <ul>
 *   <li>in S_head, in a snapshot, in a state of the past that a worker has mounted ({@link
 *       PastHolds}) or that an entry of the log restores ({@link StateRestores}), or mentioned by
 *       an entry behind {@link CollectionRoots#logAfter}: it is marked;
 *   <li>mentioned by an intent that waits, or stored or found so recently that an intent may rely
 *       on it without asking again: it is marked;
 *   <li>put, or asked for, after the store has begun: the store keeps it.
 * </ul>
 *
 * <p>A snapshot that is being taken while a run goes on leaves out pages that the base has, and
 * relies on what the store says of others. So the roots wait until no snapshot is being taken. One
 * that is begun afterwards asks the store after the run has begun, and the snapshot that it leaves
 * out pages of is marked, or is itself such a later one. The same holds for states of the past that
 * are being stored, to be mounted or to be restored.
 *
 * <p>{@code logAfter} is 0 or the entry of a snapshot. So behind it the log can be replayed with
 * all bytes, and each state from it on is whole: what the snapshot has, and what the entries behind
 * it have added. It is not newer than
 *
 * <ul>
 *   <li>the snapshot that this run of the leader has started from or taken last, which is what the
 *       next start begins with;
 *   <li>what each connected worker has applied and shows, and each snapshot that a worker installs;
 *   <li>the replay window, for workers that come back ({@link CollectionPolicy}).
 * </ul>
 *
 * <p>A worker that comes back from further away is told so ({@link #through}). It applies entries
 * without the chunks that are gone, and fetches what its newest state needs.
 */
public final class CollectionManager {
  private static final Logger LOG = LoggerFactory.getLogger(CollectionManager.class);

  /** No run begins by itself sooner than this part of the interval after the last one. */
  private static final int RUNS_PER_INTERVAL = 12;

  /**
   * After runs that were of no use, the time until the next one is doubled so often: about five
   * intervals at most.
   */
  private static final int MOST_DOUBLINGS = 6;

  /** What a run must free on a disk that is nearly full, so that the next one may follow soon. */
  private static final long USEFUL_BYTES = 16L << 20;

  /** How long the roots wait for workers that have just connected to say what they show. */
  private static final long REPORTS_NS = 5_000_000_000L;

  /**
   * How long the roots wait for workers that show a state from before the log begins. After a start
   * of the leader each worker does so until its first report, and one that was away catches up.
   */
  private static final long BEHIND_NS = 60_000_000_000L;

  /** How often it is looked whether they have caught up. */
  private static final long LOOK_NS = 100_000_000L;

  private static final int REMEMBERED_RUNS = 16;

  private enum Step {
    IDLE,
    BEGINNING,
    /** The store has begun; the roots are to be taken. */
    BEGUN,
    COLLECTING
  }

  /**
   * A run that has ended.
   *
   * @param number 1 for the first one of this leader
   * @param failure why it has ended before it was done; null if it was done
   */
  public record Ended(long number, boolean isDryRun, @Nullable String failure) {}

  private final CollectionPort port;
  private CollectionPolicy policy;

  /** Requests, each for a dry run or not. */
  private final ArrayDeque<Boolean> requests = new ArrayDeque<>();

  private final ArrayDeque<Ended> endedRuns = new ArrayDeque<>();
  private Step step = Step.IDLE;
  private boolean isDryRun;

  /** What is durably said of earlier runs, and of this one if it has come so far. */
  private long said;

  /** What the run under way may remove; never less than {@link #said}. */
  private long through;

  private long lastHead;

  /** Index of the oldest snapshot at the last run; -1 before the first look at them. */
  private long lastOldest = -1;

  private long lastRemoved;
  private boolean nearlyFull;

  /** Whether the last run has failed, so that what it would have removed is still there. */
  private boolean missed;

  /** How many runs in a row have failed or were of no use. */
  private int useless;

  private long begunNs;

  /** When the roots may be tried again, after somebody was behind; null if nobody was. */
  private @Nullable Long nextLookNs;

  private final BackgroundTurn turn = new BackgroundTurn(BackgroundJob.COLLECTION);
  private long nextNs;

  private long earliestNs;
  private long earliestOnRequestNs;
  private long ended;
  private long failures;
  private @Nullable CollectionReport last;

  /** Of what the snapshots were told. */
  private @Nullable CollectionReport told;

  private @Nullable String lastFailure;

  /**
   * A manager for one run of the leader.
   *
   * @param through entries up to this one may mention chunks that earlier runs have removed
   * @param head the newest entry
   * @param nowNs monotonic; the first collection is due after one interval
   */
  public CollectionManager(
      CollectionPort port, CollectionPolicy policy, long through, long head, long nowNs) {
    this.port = port;
    this.policy = policy;
    this.said = through;
    this.through = through;
    this.lastHead = head;
    this.nextNs = Clock.later(nowNs, policy.intervalNs());
    this.earliestNs = Clock.later(nowNs, policy.intervalNs() / RUNS_PER_INTERVAL);
    this.earliestOnRequestNs = earliestNs;
  }

  /** A manager that never collects. */
  public static CollectionManager none() {
    return new CollectionManager(
        CollectionPort.NONE, CollectionPolicy.of(Long.MAX_VALUE, 0, 0), 0, 0, 0);
  }

  /**
   * Begins a run if it is time or somebody has asked for one, and takes the roots of one that has
   * begun.
   *
   * @param nowNs monotonic
   * @return whether anything was begun
   */
  public boolean tick(CollectionSources from, long nowNs) {
    return switch (step) {
      case BEGINNING, COLLECTING -> false;
      case BEGUN -> {
        boolean waits =
            from.snapshots().isTaking()
                || from.pasts().isMaking()
                || from.restores().isMaking()
                || (nextLookNs != null && nowNs - nextLookNs < 0)
                || (nowNs - begunNs < REPORTS_NS && !haveAllReported(from.sessions()));
        yield !waits && collect(from, nowNs);
      }
      case IDLE -> {
        tell(from.snapshots());
        yield begins(from.sequencer(), from.snapshots(), nowNs);
      }
    };
  }

  /** Tells what the last run has found that only snapshots keep. */
  private void tell(SnapshotManager snapshots) {
    CollectionReport found = last;
    if (found == null || found.equals(told)) {
      return;
    }
    told = found;
    Map<Long, Long> bytes = new HashMap<>();
    for (Pin pin : found.pins()) {
      if (pin.kind() == Kind.SNAPSHOT) {
        bytes.put(pin.index(), pin.bytes());
      }
    }
    snapshots.measured(bytes, nearlyFull);
  }

  private boolean begins(Sequencer sequencer, SnapshotManager snapshots, long nowNs) {
    Boolean asked = requests.poll();
    if (asked == null && !(isDue(sequencer, snapshots, nowNs) && mayBegin(nowNs))) {
      return false;
    }
    isDryRun = asked != null && asked;
    step = Step.BEGINNING;
    begunNs = nowNs;
    nextLookNs = null;
    port.begin();
    return true;
  }

  private boolean isDue(Sequencer sequencer, SnapshotManager snapshots, long nowNs) {
    if (lastOldest < 0) {
      lastOldest = oldest(snapshots.all());
    }
    boolean isRemoved = snapshots.removedForCollection() > lastRemoved;
    if (nowNs < (isRemoved ? Math.min(earliestNs, earliestOnRequestNs) : earliestNs)) {
      return false;
    }
    boolean isChanged =
        sequencer.headIndex() > lastHead || oldest(snapshots.all()) != lastOldest || isRemoved;
    return missed || isRemoved || (isChanged && (nearlyFull || nowNs >= nextNs));
  }

  /** Whether a run that is due begins now: a disk that runs full does not wait for its turn. */
  private boolean mayBegin(long nowNs) {
    return nearlyFull || turn.begins(nowNs);
  }

  /** Those with whom this leader takes turns. Before the first {@link #tick}. */
  public void takeTurns(BackgroundTurns with) {
    turn.with(with);
  }

  private static long oldest(Iterable<Snapshot> snapshots) {
    for (Snapshot snapshot : snapshots) {
      return snapshot.index();
    }
    return 0;
  }

  private static boolean haveAllReported(WorkerSessions sessions) {
    return sessions.all().stream().noneMatch(each -> follows(each) && each.report() == null);
  }

  private static boolean follows(WorkerSession session) {
    return session.isEstablished() && !session.isInstalling();
  }

  /** Takes the roots; false if somebody who is behind is waited for. */
  private boolean collect(CollectionSources from, long nowNs) {
    Sequencer sequencer = from.sequencer();
    SnapshotManager snapshots = from.snapshots();
    OpLog log = from.log();
    long readable = log.firstIndex() - 1;
    LogLimits limits = new LogLimits();
    long after = logAfter(from, readable, limits);
    if (after < 0 && nowNs - begunNs < BEHIND_NS) {
      if (nextLookNs == null) {
        LOG.info(
            "a collection waits for a worker that shows a state from before entry {}",
            log.firstIndex());
      }
      nextLookNs = Clock.later(nowNs, LOOK_NS);
      return false;
    }
    if (after < 0) {
      // Not a later snapshot: somebody who is connected needs the state of an earlier entry.
      port.abandon();
      failed(
          "the log begins with entry "
              + log.firstIndex()
              + ", and a connected worker still shows an older state, or installs an older snapshot",
          said,
          nowNs);
      return true;
    }
    Set<Hash> promised = new HashSet<>();
    from.intents().promised(promised::add, nowNs);
    step = Step.COLLECTING;
    if (!isDryRun) {
      through = Math.max(through, after); // from now on each worker that comes is told
      lastHead = sequencer.headIndex();
      lastOldest = oldest(snapshots.all());
      lastRemoved = snapshots.removedForCollection();
    }
    port.collect(
        new CollectionRoots(
            new StateWalk(sequencer.head()),
            sequencer.headIndex(),
            List.copyOf(snapshots.all()),
            from.pasts().held(),
            from.restores().held(),
            after,
            promised,
            isDryRun,
            notes(from, limits.keeper(newer(snapshots, after)), nowNs)));
    return true;
  }

  /**
   * The newest entry that everybody can begin with, that of a snapshot, or 0. If the log was
   * trimmed within the replay window, nobody can begin with what went: then it is the oldest one
   * that the log can be read from.
   *
   * @param readable the entry behind which the log begins
   * @param limits is told who needs how much
   * @return -1 if there is none
   */
  private long logAfter(CollectionSources from, long readable, LogLimits limits) {
    SnapshotManager snapshots = from.snapshots();
    limits.add(Reason.SNAPSHOT, "", Math.min(snapshots.baseIndex(), snapshots.newestIndex()));
    long held = snapshots.lowestHeld(readable);
    String installing = from.installs().workers(held);
    limits.add(installing.isEmpty() ? Reason.READER : Reason.INSTALL, installing, held);
    for (WorkerSession session : from.sessions().all()) {
      if (follows(session)) {
        limits.add(Reason.WORKER, session.worker().name(), shown(session));
      }
    }
    long limit = limits.lowest();
    long window = 0;
    long after = readable == 0 ? 0 : -1;
    for (Snapshot snapshot : snapshots.all()) { // the oldest first
      boolean isPossible = snapshot.index() >= readable && snapshot.index() <= limit;
      boolean isOutside =
          policy.isOutside(
              snapshot.index(),
              snapshot.lastTimeNs(),
              from.sequencer().headIndex(),
              from.sequencer().lastTimeNs(),
              nearlyFull);
      window = isOutside ? snapshot.index() : window;
      if (isPossible && (isOutside || after < 0)) {
        after = snapshot.index();
      }
    }
    limits.add(Reason.REPLAY_WINDOW, "", window);
    return after;
  }

  /** The next snapshot behind an entry; {@link Long#MAX_VALUE} if there is none. */
  private static long newer(SnapshotManager snapshots, long index) {
    for (Snapshot snapshot : snapshots.all()) {
      if (snapshot.index() > index) {
        return snapshot.index();
      }
    }
    return Long.MAX_VALUE;
  }

  private static PinNotes notes(CollectionSources from, LogKeeper keeper, long nowNs) {
    long waitingNs = from.intents().waitingNs(nowNs);
    Orphans orphans = from.sequencer().orphans();
    return new PinNotes(
        keeper,
        orphans.size() == 0 ? "" : from.leases().holders(orphans::contains),
        waitingNs < 0 ? 0 : from.clock().epochNs() - waitingNs);
  }

  /** What a worker shows to processes may be older than what it has applied. */
  private static long shown(WorkerSession session) {
    return Math.min(session.appliedIndex(), session.visibleIndex());
  }

  /** The store has begun the run. */
  public void begun() {
    step = Step.BEGUN;
  }

  /**
   * The run is done.
   *
   * @param nowNs monotonic
   */
  public void ended(CollectionReport report, long nowNs) {
    last = report;
    if (!report.isDryRun()) {
      said = through;
      missed = false;
      useless = isOfUse(report.freedBytes()) ? 0 : useless + 1;
      lastFailure = null;
    }
    over(null, nowNs);
  }

  /**
   * On a disk that is nearly full runs follow each other as soon as anything has changed. A few
   * bytes are not worth another one at once, which reads all pages and a large part of the log
   * again.
   */
  private boolean isOfUse(long freedBytes) {
    return freedBytes >= (nearlyFull ? USEFUL_BYTES : 1);
  }

  /**
   * The run has ended before it was done: nothing that is alive was removed.
   *
   * @param saidThrough what is durably said now of entries whose chunks may be gone
   * @param nowNs monotonic
   */
  public void failed(String why, long saidThrough, long nowNs) {
    said = Math.max(said, saidThrough);
    through = said; // nothing more was removed, nor will be
    failures++;
    if (!isDryRun) {
      missed = true;
      useless++;
      if (!why.equals(lastFailure)) {
        LOG.warn(
            LogEvent.COLLECTION_FAILED.marker(), "a collection of dead chunks has ended: {}", why);
      }
      lastFailure = why;
    }
    over(why, nowNs);
  }

  /** The policy in force. */
  public CollectionPolicy policy() {
    return policy;
  }

  /**
   * Another policy from now on. With another interval the next run is due after one interval.
   *
   * @param changed which segments are worth it is not taken from it
   */
  public void follow(CollectionPolicy changed, long nowNs) {
    if (changed.intervalNs() != policy.intervalNs()) {
      nextNs = Clock.later(nowNs, changed.intervalNs());
      earliestNs = Clock.later(nowNs, changed.intervalNs() / RUNS_PER_INTERVAL);
    }
    policy =
        new CollectionPolicy(
            changed.intervalNs(), changed.replayEntries(), changed.replayNs(), policy.options());
  }

  /**
   * It is another replica's turn: the run was given up, and the next one is due soon. Nothing that
   * is alive was removed.
   *
   * @param saidThrough what is durably said now of entries whose chunks may be gone
   * @param nowNs monotonic
   */
  public void putOff(long saidThrough, long nowNs) {
    said = Math.max(said, saidThrough);
    through = said;
    missed = true;
    over(BackgroundTurn.OF_OTHERS, nowNs);
  }

  private void over(@Nullable String failure, long nowNs) {
    step = Step.IDLE;
    turn.ended();
    ended++;
    endedRuns.addLast(new Ended(ended, isDryRun, failure));
    if (endedRuns.size() > REMEMBERED_RUNS) {
      endedRuns.removeFirst();
    }
    if (isDryRun) {
      return;
    }
    long shortest = policy.intervalNs() / RUNS_PER_INTERVAL;
    nextNs = Clock.later(nowNs, policy.intervalNs());
    earliestOnRequestNs = Clock.later(nowNs, shortest);
    earliestNs = Clock.later(nowNs, shortest << Math.min(useless, MOST_DOUBLINGS));
  }

  /**
   * Asks for a run, as soon as the one before has ended. One of its kind that was asked for and has
   * not begun is shared.
   *
   * @param dryRun whether nothing is to be removed
   * @return its {@link Ended#number}
   */
  public long ask(boolean dryRun) {
    long number = ended + (step == Step.IDLE ? 0 : 1);
    for (boolean waiting : requests) {
      number++;
      if (waiting == dryRun) {
        return number;
      }
    }
    requests.add(dryRun);
    return number + 1;
  }

  /** Sets whether the disk is nearly full, so that a collection is due. */
  public void nearlyFull(boolean now) {
    nearlyFull = now;
  }

  /**
   * Chunks of entries up to this one, and of states before it, may be gone. A worker that has
   * applied less has to do without them until it has come so far.
   */
  public long through() {
    return through;
  }

  /** Whether a run is under way. */
  public boolean isRunning() {
    return step != Step.IDLE;
  }

  /** How many runs have ended, in whichever way. */
  public long endedSoFar() {
    return ended;
  }

  /** How many of them have failed. */
  public long failedSoFar() {
    return failures;
  }

  /** The last runs that have ended, the oldest first. */
  public List<Ended> endedRuns() {
    return new ArrayList<>(endedRuns);
  }

  /** What the last successful run of this leader has found; null before that. */
  public @Nullable CollectionReport last() {
    return last;
  }

  /** Why the last run that was to remove something has failed; null if it has not. */
  public @Nullable String lastFailure() {
    return lastFailure;
  }
}

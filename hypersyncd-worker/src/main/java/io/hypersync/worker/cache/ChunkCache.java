package io.hypersync.worker.cache;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.StateWalk;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.worker.port.CachePort;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.CacheRoots;
import io.hypersync.worker.replica.IndexedState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when a worker removes chunks that it does not need (hypersync.md 14.2), and from what the
 * others are reached. Called on the agent's thread; one thing at a time is under way on the port.
 *
 * <p>All chunks here are copies of what the leader has, so a removed one can be fetched again. It
 * matters all the same that those are kept which the worker needs:
 *
 * <ul>
 *   <li>A chunk of the visible state, because reads work without the leader. Only a worker with a
 *       limit gives some of these up ({@link CacheLimits}).
 *   <li>A chunk of an entry that has arrived and is not visible yet, because the replica has asked
 *       whether it is here, and applies the entry without asking again.
 *   <li>Of a state of the past that is mounted here: what is here of its pages and chunks. A worker
 *       with a limit gives up what was not read lately.
 *   <li>A page of a snapshot of this worker, because the next start reads it, and because the next
 *       snapshot leaves out what the last one has.
 * </ul>
 *
 * <p>The roots are taken after the store has begun, in one turn of the agent: what is put or asked
 * for later is kept by the store. Each state between the visible one and the newest has the chunks
 * of the visible one, and of the entries behind it. The roots wait while a snapshot is taken, which
 * leaves out pages that no snapshot has yet.
 *
 * <p>Nothing is collected before the worker is live for the first time, nor while it installs a
 * snapshot of the leader, whose pages nothing here refers to. Nor while the leader is away: what is
 * missing then cannot be fetched.
 */
public final class ChunkCache {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkCache.class);

  /** No run begins by itself sooner than this part of the interval after the last one. */
  private static final int RUNS_PER_INTERVAL = 12;

  /** After runs that were of no use, the time until the next one is doubled so often. */
  private static final int MOST_DOUBLINGS = 6;

  /** How often the store is measured if it has a limit, unless runs are more frequent. */
  private static final long MEASURE_NS = 2_000_000_000L;

  /** A disk that is as full as this is collected on as soon as anything has changed. */
  private static final int FULL_DISK_PERCENT = 90;

  private enum Step {
    IDLE,
    MEASURING,
    BEGINNING,
    /** The store has begun; the roots are to be taken. */
    BEGUN,
    COLLECTING
  }

  private final CachePort port;
  private final CacheLimits limits;
  private Step step = Step.IDLE;
  private boolean requested;

  /** Index of the visible state at the last run that was done. */
  private long lastIndex;

  /** How many snapshots were removed or set aside by then. */
  private long lastSnapshot;

  private boolean evicts;
  private long storeBytes;

  /** Above the limit a run is due at once if the store is as large as this. */
  private long dueBytes;

  /** Whether the run was begun for lack of room. */
  private boolean isForRoom;

  /** How many runs in a row were begun for lack of room and made none. */
  private int useless;

  /** Whether the connection was lost since the store was asked to begin. */
  private boolean isLost;

  /** A page of a snapshot that could not be had, and how often in a row. */
  private @Nullable Hash lostPage;

  private int pageLosses;
  private long nextMeasureNs;
  private long nextNs;
  private long earliestNs;
  private long ended;
  private long failures;
  private long evictions;
  private long freedBytes;
  private @Nullable CacheReport last;
  private @Nullable String lastFailure;

  /**
   * A cache for one run of the worker.
   *
   * @param nowNs monotonic; the first collection is due after one interval
   */
  public ChunkCache(CachePort port, CacheLimits limits, long nowNs) {
    this.port = port;
    this.limits = limits;
    this.nextMeasureNs = nowNs;
    this.nextNs = Clock.later(nowNs, limits.intervalNs());
    this.earliestNs = Clock.later(nowNs, limits.intervalNs() / RUNS_PER_INTERVAL);
  }

  /** A cache that is never collected. */
  public static ChunkCache none() {
    return new ChunkCache(
        CachePort.NONE, new CacheLimits(Long.MAX_VALUE, CacheLimits.NO_LIMIT), Long.MAX_VALUE);
  }

  /** What a run is taken from. */
  public interface Source {
    /** The state that processes see. */
    IndexedState visible();

    /** About how many bytes of heap the newest state takes. */
    long stateBytes();

    /** The manifests of the states of the past that are mounted here. */
    default List<byte[]> pasts() {
      return List.of();
    }

    /** Tells of the chunks of all entries that are here and not visible yet. */
    void mentioned(Consumer<Hash> chunk);
  }

  /**
   * Begins what is due, and takes the roots of a run that has begun. To be called only while the
   * worker is live.
   *
   * @param diskPercent how full the disk is; negative if that is not known
   * @param nowNs monotonic
   * @return whether anything was begun
   */
  public boolean tick(Source source, SnapshotManager snapshots, int diskPercent, long nowNs) {
    return switch (step) {
      case MEASURING, BEGINNING, COLLECTING -> false;
      case BEGUN -> {
        boolean waits = snapshots.isTaking();
        if (!waits) {
          collect(source, snapshots);
        }
        yield !waits;
      }
      case IDLE -> begins(source, snapshots, diskPercent, nowNs);
    };
  }

  private boolean begins(Source source, SnapshotManager snapshots, int diskPercent, long nowNs) {
    boolean isChanged =
        source.visible().index() > lastIndex || snapshots.newestIndex() != lastSnapshot;
    boolean isFull = diskPercent >= FULL_DISK_PERCENT && isChanged;
    boolean isOver = limits.isOver(storeBytes);
    boolean lacksRoom =
        (nowNs >= earliestNs && (isFull || isOver)) || (isOver && storeBytes >= dueBytes);
    if (requested || lacksRoom || (isChanged && nowNs >= nextNs)) {
      isForRoom = lacksRoom;
      isLost = false;
      requested = false;
      step = Step.BEGINNING;
      port.begin(source.stateBytes());
      return true;
    }
    if (limits.isLimited() && nowNs >= nextMeasureNs) {
      step = Step.MEASURING;
      port.measure();
      return true;
    }
    return false;
  }

  private void collect(Source source, SnapshotManager snapshots) {
    Set<Hash> mentioned = new HashSet<>();
    source.mentioned(mentioned::add);
    IndexedState visible = source.visible();
    step = Step.COLLECTING;
    evicts = limits.isNearly(storeBytes);
    lastIndex = visible.index();
    lastSnapshot = snapshots.newestIndex();
    port.collect(
        new CacheRoots(
            visible.index(),
            new StateWalk(visible.state()),
            mentioned,
            List.copyOf(snapshots.all()),
            source.pasts(),
            evicts));
  }

  /** The store takes so many bytes. */
  public void measured(long bytes, long nowNs) {
    storeBytes = bytes;
    idle(nowNs);
  }

  /** The store could not be measured. */
  public void notMeasured(long nowNs) {
    idle(nowNs);
  }

  /** While a run goes on: the store takes so many bytes. */
  public void grown(long bytes) {
    storeBytes = bytes;
  }

  private void idle(long nowNs) {
    step = Step.IDLE;
    nextMeasureNs =
        Clock.later(nowNs, Math.min(MEASURE_NS, limits.intervalNs() / RUNS_PER_INTERVAL));
  }

  /**
   * The store has begun the run.
   *
   * @param bytes what it takes
   * @param nowNs monotonic
   */
  public void begun(long bytes, long nowNs) {
    storeBytes = bytes;
    step = Step.BEGUN;
    if (isLost) {
      abandon(nowNs);
    }
  }

  /**
   * The connection is lost. A run whose roots are not taken is ended: it would wait for a time that
   * nobody knows. So is one that removes what is shown, because that cannot be fetched now.
   */
  public void leaderLost(long nowNs) {
    isLost = true;
    if (step == Step.BEGUN) {
      abandon(nowNs);
    } else if (step == Step.COLLECTING && evicts) {
      port.giveUp();
    }
  }

  private void abandon(long nowNs) {
    port.abandon();
    failed("the leader is away", nowNs);
  }

  /** The run is done. */
  public void ended(CacheReport report, long nowNs) {
    last = report;
    lastFailure = null;
    lostPage = null;
    freedBytes += report.freedBytes();
    evictions += report.evicted() ? 1 : 0;
    useless = isForRoom && report.freedBytes() < limits.usefulBytes() ? useless + 1 : 0;
    measured(report.storeBytes(), nowNs);
    over(nowNs);
  }

  /** The run has ended before it was done. Nothing that is needed was removed. */
  public void failed(String why, long nowNs) {
    failures++;
    useless++;
    if (!why.equals(lastFailure)) {
      LOG.warn(
          LogEvent.COLLECTION_FAILED.marker(),
          "a collection of chunks that are not needed has ended: {}",
          why);
    }
    lastFailure = why;
    idle(nowNs);
    over(nowNs);
    lastIndex = -1; // what it would have removed is still there
  }

  /**
   * A page of a snapshot cannot be read here, nor had from the leader.
   *
   * @return how often this has happened with this page, with no success in between
   */
  public int pageLost(Hash page) {
    pageLosses = page.equals(lostPage) ? pageLosses + 1 : 1;
    lostPage = page;
    return pageLosses;
  }

  private void over(long nowNs) {
    ended++;
    dueBytes = Clock.later(storeBytes, limits.usefulBytes());
    nextNs = Clock.later(nowNs, limits.intervalNs());
    long shortestNs = limits.intervalNs() / RUNS_PER_INTERVAL;
    earliestNs = Clock.later(nowNs, shortestNs << Math.min(useless, MOST_DOUBLINGS));
  }

  /**
   * A run is due at once.
   *
   * @return what {@link #endedSoFar} is at least when it is over
   */
  public long request() {
    requested = true;
    return ended + (isRunning() ? 2 : 1);
  }

  /** Whether chunks that nobody waits for may be fetched. */
  public boolean hasRoom() {
    return limits.hasRoom(storeBytes);
  }

  /** Whether a run is under way. */
  public boolean isRunning() {
    return step != Step.IDLE && step != Step.MEASURING;
  }

  /** What the chunks may take; {@link CacheLimits#NO_LIMIT} for no limit. */
  public long maxBytes() {
    return limits.maxBytes();
  }

  /** What the store took when it was measured last, in bytes; 0 before that. */
  public long storeBytes() {
    return storeBytes;
  }

  /** How many runs have ended, in whichever way. */
  public long endedSoFar() {
    return ended;
  }

  /** How many of them have failed. */
  public long failedSoFar() {
    return failures;
  }

  /** In how many of them chunks of the visible state were removed, because of the limit. */
  public long evictions() {
    return evictions;
  }

  /** By how much all of them have made the store smaller, in bytes. */
  public long freedBytes() {
    return freedBytes;
  }

  /** What the last successful run has found; null before that. */
  public @Nullable CacheReport last() {
    return last;
  }

  /** Why the last run has failed; null if it has not. */
  public @Nullable String lastFailure() {
    return lastFailure;
  }
}

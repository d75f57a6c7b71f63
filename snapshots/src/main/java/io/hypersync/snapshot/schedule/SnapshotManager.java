package io.hypersync.snapshot.schedule;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurn;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when a replica takes a snapshot, and which ones it keeps (hypersync.md 13.1, 14.1). One
 * thing at a time is under way on the port. Called on the agent's thread.
 *
 * <p>A snapshot is of the newest state at the moment of the decision, and is handed over when the
 * last entry of that state is durable at the leader: a state that is not must never be what a
 * replica starts from.
 *
 * <p>The newest snapshot is never removed: the next start begins with it, and the next snapshot
 * leaves out the pages that it has. Nor is the one that this run of the replica started from, until
 * there is a newer one from this run. {@link SnapshotRetention} says which others are kept.
 */
public final class SnapshotManager {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotManager.class);

  /** After a failure, such as a full disk, the next attempt waits for this part of the interval. */
  private static final int RETRIES_PER_INTERVAL = 5;

  /** What somebody who asked for a snapshot, or for a change of one, is told. */
  public sealed interface Answer {
    /** It is done; the snapshot as it is now, or as it was when it was removed. */
    record Done(Snapshot snapshot) implements Answer {}

    /** It is not done. */
    record Failed(String why) implements Answer {}
  }

  private sealed interface Request {
    Consumer<Answer> asker();

    record Take(String name, Consumer<Answer> asker) implements Request {}

    record Pin(long index, boolean pinned, Consumer<Answer> asker) implements Request {}

    record Remove(long index, Consumer<Answer> asker) implements Request {}
  }

  private final SnapshotPort port;
  private SnapshotPolicy policy;
  private SnapshotRetention retention;
  private final WorkspaceId workspace;
  private final TreeMap<Long, Snapshot> known = new TreeMap<>();
  private final ArrayDeque<Request> requests = new ArrayDeque<>();

  /** For each snapshot that somebody reads, how many do. */
  private final TreeMap<Long, Integer> held = new TreeMap<>();

  /** For each snapshot whose chunks somebody needs, but not the log behind it, how many do. */
  private final TreeMap<Long, Integer> chunksHeld = new TreeMap<>();

  /** The snapshot that the marks in the state rest on: this run started from it, or took it. */
  private long base;

  private @Nullable Manifest waiting;
  private @Nullable Request underWay;
  private boolean busy;

  /** Why all snapshots are to be set aside; null if they are not. */
  private @Nullable String distrusted;

  private boolean isSetAside;

  /** Whether what is under way on the port is a new snapshot. */
  private boolean takes;

  /** Index of the new snapshot that is under way on the port; 0 if none is. */
  private long taking;

  /** The snapshot that the port is removing; -1 for none. */
  private long removing = -1;

  /**
   * Snapshots that were taken for lack of memory before it was time: they go first, so that the
   * others reach back as far as they should.
   */
  private final Set<Long> early = new HashSet<>();

  /** Whether it is to be measured anew what is in no snapshot. */
  private boolean isUnmeasured;

  private boolean mayHaveTooMany = true;

  /** Whether the last snapshot that was one too many kept too much. */
  private boolean isForRoom;

  private long nextNs;

  /** Whether the next snapshot waits for nobody's turn. */
  private boolean isUrgent;

  private final BackgroundTurn turn = new BackgroundTurn(BackgroundJob.SNAPSHOT);
  private long taken;

  /** When the snapshot that is being taken, or was taken last, was handed to the port. */
  private long takingSinceNs;

  /** How long the last one took; null before it. */
  private @Nullable Long tookNs;

  private long removedOnRequest;
  private long removedForRoom;

  /** What only history keeps, as far as it is measured: for each snapshot its bytes. */
  private final Map<Long, Long> historyBytes = new HashMap<>();

  /** How many of these snapshots that nobody has named may keep. */
  private long mostHistoryBytes = Long.MAX_VALUE;

  private long failed;
  private @Nullable String lastFailure;

  /**
   * A manager for one run of a replica.
   *
   * @param snapshots what the catalog has
   * @param base index of the snapshot that the replica started from, 0 for none
   * @param nowNs monotonic; the first snapshot is due after one interval
   */
  public SnapshotManager(
      SnapshotPort port,
      SnapshotPolicy policy,
      WorkspaceId workspace,
      Collection<Snapshot> snapshots,
      long base,
      long nowNs) {
    this.port = port;
    this.policy = policy;
    this.retention = new SnapshotRetention(policy);
    this.workspace = workspace;
    this.base = base;
    this.nextNs = Clock.later(nowNs, policy.intervalNs());
    snapshots.forEach(snapshot -> known.put(snapshot.index(), snapshot));
  }

  /** A manager that never takes a snapshot. */
  public static SnapshotManager none(WorkspaceId workspace) {
    SnapshotPolicy never = new SnapshotPolicy(Long.MAX_VALUE, 1);
    return new SnapshotManager(SnapshotPort.NONE, never, workspace, List.of(), 0, 0);
  }

  /** The policy in force. */
  public SnapshotPolicy policy() {
    return policy;
  }

  /**
   * Another policy from now on. With another interval the next snapshot is due after one interval.
   */
  public void follow(SnapshotPolicy changed, long nowNs) {
    if (changed.intervalNs() != policy.intervalNs()) {
      nextNs = Clock.later(nowNs, changed.intervalNs());
    }
    policy = changed;
    retention = new SnapshotRetention(changed);
    mostHistoryBytes = changed.retainBytes();
    mayHaveTooMany = true;
  }

  /**
   * Takes a snapshot if it is time or somebody has asked for one, and removes old ones.
   *
   * @param durable the newest durable entry
   * @param nowNs monotonic
   * @return whether anything was begun
   */
  public boolean tick(SnapshotSource newest, long durable, long nowNs) {
    if (busy) {
      return false;
    }
    if (distrusted != null) {
      return beginToSetAside(nowNs);
    }
    if (measure(newest)) {
      return true;
    }
    Manifest decided = waiting;
    if (decided != null) {
      if (durable < decided.index()) {
        return false;
      }
      waiting = null;
      busy = true;
      takes = true;
      taking = decided.index();
      takingSinceNs = nowNs;
      port.take(decided, base, underWay instanceof Request.Take(String name, _) ? name : "");
      return true;
    }
    Request request = requests.poll();
    if (request != null) {
      begin(request, newest);
      return true;
    }
    Snapshot surplus = surplus();
    if (surplus != null) {
      remove(surplus.index());
      return true;
    }
    boolean isTime = nowNs >= nextNs && (isUrgent || newest.index() <= base || turn.begins(nowNs));
    if (isTime) {
      isUrgent = false;
      nextNs = Clock.later(nowNs, policy.intervalNs());
      early.remove(base); // if nothing has changed since, it is the one of this interval
    }
    if ((isTime || (newest.takesTooMuch() && lastFailure == null)) && newest.index() > base) {
      if (!isTime) {
        early.add(newest.index());
      }
      waiting = decided(newest);
      return true;
    }
    return false;
  }

  /** Those with whom this replica takes turns. Before the first {@link #tick}. */
  public void takeTurns(BackgroundTurns with) {
    turn.with(with);
  }

  /** The next snapshot is due at once, whoever else is at work, if anything has changed. */
  public void soon(long nowNs) {
    isUrgent = true;
    nextNs = Math.min(nextNs, nowNs);
  }

  private void begin(Request request, SnapshotSource source) {
    switch (request) {
      case Request.Take(String name, Consumer<Answer> asker) -> {
        underWay = request;
        Snapshot newest = source.index() == base ? known.get(base) : null;
        if (isUsed(name)) {
          refuse(request, "there is a snapshot called " + name + " already");
        } else if (newest == null) {
          waiting = decided(source);
        } else if (name.isEmpty()) {
          underWay = null;
          asker.accept(new Answer.Done(newest));
        } else if (!newest.name().isEmpty()) {
          refuse(
              request,
              "nothing has changed since snapshot " + newest.name() + ", which is the same state");
        } else {
          busy = true;
          port.change(newest.withName(name));
        }
      }
      case Request.Pin(long index, boolean pinned, _) -> {
        Snapshot snapshot = known.get(index);
        if (snapshot == null) {
          refuse(request, "there is no snapshot of entry " + index);
        } else {
          underWay = request;
          busy = true;
          port.change(snapshot.withPin(pinned));
        }
      }
      case Request.Remove(long index, _) -> {
        if (!known.containsKey(index)) {
          refuse(request, "there is no snapshot of entry " + index);
        } else if (isNeeded(index)) {
          refuse(request, "the next start needs it; take another snapshot first");
        } else if (isHeld(index)) {
          refuse(
              request,
              "a worker installs it, a path is restored from it, or a scrub or a backup reads it; try"
                  + " again later (./hypersync scrub and ./hypersync backup --status say whether one runs)");
        } else {
          underWay = request;
          remove(index);
        }
      }
    }
  }

  private void remove(long index) {
    busy = true;
    removing = index;
    port.remove(index);
  }

  /**
   * Keeps a snapshot and the log behind it until {@link #release}, for somebody who reads both. In
   * this run only; may be done several times.
   *
   * @return false if there is no such snapshot, or it is being removed
   */
  public boolean hold(long index) {
    if (!known.containsKey(index) || index == removing) {
      return false;
    }
    held.merge(index, 1, Integer::sum);
    return true;
  }

  /** Ends a {@link #hold}. */
  public void release(long index) {
    held.computeIfPresent(index, (_, count) -> count == 1 ? null : count - 1);
    mayHaveTooMany = true;
  }

  /**
   * Turns a {@link #hold} into one of the snapshot alone, until {@link #releaseChunks}: its chunks
   * stay, and the log may be trimmed.
   */
  public void releaseLog(long index) {
    chunksHeld.merge(index, 1, Integer::sum);
    release(index);
  }

  /** Ends what {@link #releaseLog} has left. */
  public void releaseChunks(long index) {
    chunksHeld.computeIfPresent(index, (_, count) -> count == 1 ? null : count - 1);
    mayHaveTooMany = true;
  }

  private boolean isHeld(long index) {
    return held.containsKey(index) || chunksHeld.containsKey(index);
  }

  private void refuse(Request request, String why) {
    underWay = null;
    request.asker().accept(new Answer.Failed(why));
  }

  private Manifest decided(SnapshotSource source) {
    source.decided();
    return source.manifest(workspace);
  }

  /** The manifest of the newest state, whose last entry need not be durable yet. */
  public Manifest manifest(SnapshotSource newest) {
    return newest.manifest(workspace);
  }

  /**
   * Sets all snapshots aside, and takes none from now on: the next start begins without. That none
   * is taken is because the marks in the state rest on those that there were ({@code PageWriter}).
   *
   * @param why for those who ask for a snapshot, and for reports
   * @param nowNs monotonic
   */
  public void distrust(String why, long nowNs) {
    if (distrusted != null) {
      return;
    }
    distrusted = why;
    if (waiting != null) {
      waiting = null;
      turn.ended();
    }
    nextNs = nowNs;
    Request asked = busy ? null : underWay;
    if (asked != null) {
      refuse(asked, why);
    }
  }

  private boolean beginToSetAside(long nowNs) {
    while (!requests.isEmpty()) {
      refuse(requests.removeFirst(), "no snapshot is taken or kept: " + distrusted);
    }
    if (isSetAside || nowNs < nextNs) {
      return false;
    }
    busy = true;
    port.setAside();
    return true;
  }

  /** The port has set all snapshots aside. */
  public void setAside() {
    known.clear();
    early.clear();
    base = 0;
    isSetAside = true;
    busy = false;
  }

  /** Why there are no snapshots any more, and none is taken; null if that is not so. */
  public @Nullable String distrusted() {
    return distrusted;
  }

  /** Whether what {@link #distrust} asks for is done. */
  public boolean isSetAside() {
    return isSetAside;
  }

  private boolean isNeeded(long index) {
    return index == newestIndex() || index == base || index == previousIndex();
  }

  /**
   * A snapshot that is one too many, or the oldest if they keep too much; null if there is none.
   * What a named one keeps is no reason to remove others.
   */
  private @Nullable Snapshot surplus() {
    if (!mayHaveTooMany) {
      return null;
    }
    List<Snapshot> others = new ArrayList<>();
    long bytes = 0;
    for (Snapshot snapshot : known.values()) {
      if (snapshot.isKept()) {
        continue;
      }
      if (early.contains(snapshot.index()) && isRemovable(snapshot)) {
        isForRoom = false;
        return snapshot;
      }
      others.add(snapshot);
      bytes += historyBytes.getOrDefault(snapshot.index(), 0L);
    }
    Snapshot surplus = retention.surplus(others, this::isRemovable);
    isForRoom = surplus == null;
    if (surplus == null && bytes > mostHistoryBytes) {
      surplus = others.stream().filter(this::isRemovable).findFirst().orElse(null);
    }
    mayHaveTooMany = surplus != null;
    return surplus;
  }

  private boolean isRemovable(Snapshot snapshot) {
    return !isNeeded(snapshot.index()) && !isHeld(snapshot.index());
  }

  /**
   * A collection has found how much only snapshots keep. If that is too much, the oldest ones go:
   * the next collection frees what nothing else keeps.
   *
   * @param bytes for each snapshot, what it keeps, and perhaps older ones, and nothing else
   * @param isFull whether the disk is nearly full: then half of it has to go
   */
  public void measured(Map<Long, Long> bytes, boolean isFull) {
    historyBytes.clear();
    historyBytes.putAll(bytes);
    mostHistoryBytes =
        isFull ? Math.min(policy.retainBytes(), historyBytes() / 2) : policy.retainBytes();
    mayHaveTooMany = true;
  }

  /** What snapshots keep that nobody has named or pinned, in bytes, as measured last. */
  public long historyBytes() {
    long bytes = 0;
    for (Snapshot snapshot : known.values()) {
      bytes += snapshot.isKept() ? 0 : historyBytes.getOrDefault(snapshot.index(), 0L);
    }
    return bytes;
  }

  /**
   * The port has taken a snapshot, or changed one.
   *
   * @param nowNs monotonic
   */
  public void taken(Snapshot snapshot, long nowNs) {
    known.put(snapshot.index(), snapshot);
    mayHaveTooMany = true;
    if (takes) {
      takes = false;
      turn.ended();
      taking = 0;
      isUnmeasured = true;
      taken++;
      tookNs = nowNs - takingSinceNs;
      base = snapshot.index();
      lastFailure = null;
    }
    ended(new Answer.Done(snapshot));
  }

  /** The port has measured what is in no snapshot. */
  public void weighed() {
    busy = false;
  }

  /** The catalog has got the snapshot that this run of the replica has begun with. */
  public void installed(Snapshot snapshot) {
    known.put(snapshot.index(), snapshot);
    base = snapshot.index();
    isUnmeasured = true;
    mayHaveTooMany = true;
  }

  /**
   * Measures what of the newest state cannot be dropped from memory, if that is not known; a part
   * of {@link #tick}, for a replica that may take no snapshot yet.
   *
   * @return whether that goes on
   */
  public boolean measure(SnapshotSource newest) {
    if (busy || !isUnmeasured) {
      return false;
    }
    isUnmeasured = false;
    busy = true;
    port.measure(newest.manifest(workspace));
    return busy; // it may be told at once
  }

  /** The newest state is another one than those before: it is measured anew. */
  public void restored() {
    isUnmeasured = true;
  }

  /** A snapshot is in the catalog that this replica does not go on from. */
  public void added(Snapshot snapshot) {
    known.put(snapshot.index(), snapshot);
    mayHaveTooMany = true;
  }

  /** The port has removed a snapshot. */
  public void removed(long index) {
    Snapshot gone = known.remove(index);
    early.remove(index);
    historyBytes.remove(index);
    if (underWay instanceof Request.Remove) {
      removedOnRequest++;
    } else if (isForRoom) {
      removedForRoom++;
    }
    ended(
        gone == null
            ? new Answer.Failed("there is no snapshot of entry " + index)
            : new Answer.Done(gone));
  }

  /**
   * It is another replica's turn: the snapshot that was being taken was given up, and is tried
   * again at once. That is no failure, so one for lack of memory does not wait behind it.
   *
   * @param nowNs monotonic
   */
  public void putOff(long nowNs) {
    isUnmeasured |= takes;
    early.remove(taking);
    takes = false;
    taking = 0;
    turn.ended();
    nextNs = Math.min(nextNs, nowNs);
    ended(new Answer.Failed(BackgroundTurn.OF_OTHERS));
  }

  /**
   * The port could not do what it was asked for. Snapshots are tried again later.
   *
   * @param nowNs monotonic
   */
  public void failed(String why, long nowNs) {
    failed++;
    boolean tookOne = takes;
    isUnmeasured |= takes;
    early.remove(taking);
    takes = false;
    if (tookOne) {
      turn.ended();
    }
    taking = 0;
    mayHaveTooMany = false; // a removal that fails is tried again after the next snapshot
    if (!why.equals(lastFailure)) {
      LOG.warn(LogEvent.SNAPSHOT_FAILED.marker(), "no snapshot: {}", why);
    }
    lastFailure = why;
    long again = Clock.later(nowNs, policy.intervalNs() / RETRIES_PER_INTERVAL);
    nextNs = distrusted != null && !tookOne ? again : Math.min(nextNs, again);
    ended(new Answer.Failed(why));
  }

  private void ended(Answer answer) {
    busy = false;
    removing = -1;
    Request asked = underWay;
    underWay = null;
    if (asked != null) {
      asked.asker().accept(answer);
    }
  }

  /**
   * Asks for a snapshot of the newest state.
   *
   * @param name what it shall be called, at most {@link Snapshot#MAX_NAME_BYTES}; may be empty
   * @param asker is told on the agent's thread
   */
  public void take(String name, Consumer<Answer> asker) {
    requests.add(new Request.Take(name, asker));
  }

  private boolean isUsed(String name) {
    return !name.isEmpty()
        && known.values().stream().anyMatch(snapshot -> snapshot.name().equals(name));
  }

  /** Asks for a snapshot to be pinned, or to be kept no longer than others. */
  public void pin(long index, boolean pinned, Consumer<Answer> asker) {
    requests.add(new Request.Pin(index, pinned, asker));
  }

  /** Asks for a snapshot to be removed. */
  public void remove(long index, Consumer<Answer> asker) {
    requests.add(new Request.Remove(index, asker));
  }

  /**
   * Index of the snapshot that this run of the replica started from or has taken last; 0 for none.
   * It has what the state is marked with, and the chunks of all entries up to it.
   */
  public long baseIndex() {
    return base;
  }

  /**
   * Index of the snapshot before {@link #baseIndex}; 0 if there is none. If the newer one cannot be
   * read at the next start, this one is what is started from.
   */
  public long previousIndex() {
    Long previous = known.lowerKey(base);
    return previous == null ? 0 : previous;
  }

  /**
   * The lowest index that is held with its log; {@link Long#MAX_VALUE} if none is.
   *
   * @param least lower ones do not count: of a snapshot from before the log begins, nobody can read
   *     the entries behind it
   */
  public long lowestHeld(long least) {
    Long lowest = held.ceilingKey(least);
    return lowest == null ? Long.MAX_VALUE : lowest;
  }

  /** The snapshot of an entry; null if there is none. */
  public @Nullable Snapshot get(long index) {
    return known.get(index);
  }

  /** Index of the newest snapshot; 0 if there is none. */
  public long newestIndex() {
    return known.isEmpty() ? 0 : known.lastKey();
  }

  /** The newest snapshot; null if there is none. */
  public @Nullable Snapshot newest() {
    return known.isEmpty() ? null : known.lastEntry().getValue();
  }

  /** All snapshots, the oldest first; not to be changed. */
  public Collection<Snapshot> all() {
    return known.values();
  }

  /** How many snapshots this run has taken. */
  public long takenSoFar() {
    return taken;
  }

  /** How long the last one of this run took, in nanoseconds; null before it. */
  public @Nullable Long lastTookNs() {
    return tookNs;
  }

  /** Whether one is being taken: what it rests on is in no snapshot yet. */
  public boolean isTaking() {
    return takes;
  }

  /**
   * The indexes of all snapshots that the catalog may have, as far as this run of the replica knows
   * them: {@link #all}, and that of one which is being taken.
   */
  public Set<Long> indexes() {
    Set<Long> indexes = new HashSet<>(known.keySet());
    if (taking > 0) {
      indexes.add(taking);
    }
    return indexes;
  }

  /**
   * How many snapshots this run has removed so that a collection frees what they keep: somebody has
   * asked for it, or they keep too much.
   */
  public long removedForCollection() {
    return removedOnRequest + removedForRoom;
  }

  /** How many snapshots this run has removed because they kept too much. */
  public long removedForRoom() {
    return removedForRoom;
  }

  /** How many times the port has failed. */
  public long failedSoFar() {
    return failed;
  }

  /** Why there is no newer snapshot; null if the last attempt succeeded. */
  public @Nullable String lastFailure() {
    return distrusted != null ? distrusted : lastFailure;
  }
}

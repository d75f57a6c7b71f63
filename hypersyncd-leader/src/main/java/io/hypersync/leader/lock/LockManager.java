package io.hypersync.leader.lock;

import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.LeaderMessage.LockResponse.Verdict;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRenew;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock manager (hypersync.md 10.2): lock sessions, answers and leases around a {@link
 * LockTable}. Owned by the leader agent and called on its thread; callers pass in the time. The
 * package's own comment describes the protocol.
 */
public final class LockManager {
  private static final Logger LOG = LoggerFactory.getLogger(LockManager.class);
  private static final long NS_PER_MS = 1_000_000;
  private static final int CHECKS_PER_TTL = 16;

  /** Least time between two log lines about refused intents. */
  private static final long FENCED_LOG_NS = 10_000 * NS_PER_MS;

  /** Most processes that a log line names. */
  private static final int NAMED = 10;

  private final long ttlNs;
  private final long graceNs;
  private final Entropy entropy;
  private final LongSupplier durableIndex;
  private final LongSupplier headIndex;
  private final BiConsumer<WorkerId, LeaderMessage> port;
  private final Predicate<WorkerId> connected;
  private final Predicate<NodeId> exists;
  private final Consumer<WorkerId> hangUp;
  private final WorkerQuotas quotas;
  private final QuotaViolations violations;
  private final LockTable table = new LockTable(this::grantedAfterWait, this::deadlocked);
  private final Map<WorkerId, LockSession> sessions = new LinkedHashMap<>();

  /**
   * Time that passed while this leader was running. While it was paused, no worker could renew its
   * locks, so pauses do not count.
   */
  private long leaseNowNs;

  /**
   * The newest entry, durable or not, when locks were last freed whose holder had not let go: what
   * it wrote under them may still be on its way to the disk. Whoever is granted a lock since is
   * told so when that entry is durable, and with a commit index that covers it: so it sees all that
   * was written under the lost lock, and {@link #admits} lets nothing through later.
   */
  private long freedAt;

  /** Answers that wait for {@link #freedAt} to be durable, in order. */
  private final ArrayDeque<Withheld> withheld = new ArrayDeque<>();

  private record Withheld(WorkerId worker, LockResponse response) {}

  private BiConsumer<WorkerId, String> lost = (_, _) -> {};
  private long tickedNs;
  private long nextCheckNs;
  private long requests;
  private long contended;
  private long deadlocks;
  private long expired;
  private long reclaimed;
  private long fenced;
  private long nextFencedLogNs;

  /**
   * Starts with no sessions and no locks.
   *
   * @param ttlNs how long a lock lives without being renewed
   * @param graceNs how much longer it can still be renewed
   * @param entropy source of session numbers
   * @param durableIndex the commit index
   * @param headIndex the newest entry, durable or not
   * @param port sends a message; it is lost if the worker is not connected
   * @param connected whether a worker is connected
   * @param exists whether a node is in the newest state
   * @param hangUp closes the connection of a worker, so that it sends again what was not taken
   * @param quotas the most that is kept for each worker
   * @param violations counts what exceeded a quota
   */
  public LockManager(
      long ttlNs,
      long graceNs,
      Entropy entropy,
      LongSupplier durableIndex,
      LongSupplier headIndex,
      BiConsumer<WorkerId, LeaderMessage> port,
      Predicate<WorkerId> connected,
      Predicate<NodeId> exists,
      Consumer<WorkerId> hangUp,
      WorkerQuotas quotas,
      QuotaViolations violations,
      long nowNs) {
    this.ttlNs = ttlNs;
    this.graceNs = graceNs;
    this.entropy = entropy;
    this.durableIndex = durableIndex;
    this.headIndex = headIndex;
    this.port = port;
    this.connected = connected;
    this.exists = exists;
    this.hangUp = hangUp;
    this.quotas = quotas;
    this.violations = violations;
    this.tickedNs = nowNs;
  }

  /**
   * From now on tells a worker of locks that were freed because it had not renewed them.
   *
   * @param notice gets the worker, which may have no connection, and what to tell a person
   */
  public void tellLost(BiConsumer<WorkerId, String> notice) {
    lost = notice;
  }

  /**
   * A worker's Hello was accepted. If it is another run than before, the earlier one is dead, and
   * its locks are freed at once (10.2(6)).
   *
   * @return the session number, for Welcome
   */
  public long established(WorkerId worker, ClientId run) {
    LockSession session = sessions.get(worker);
    if (session != null && !session.run().equals(run)) {
      reclaimed += table.heldBy(worker);
      end(session);
      session = null;
    }
    if (session == null) {
      session = new LockSession(worker, run, entropy.nextLong(), leaseNowNs);
      sessions.put(worker, session);
    }
    var _ = session.takeRefused(); // it sends again on this connection
    return session.number();
  }

  /**
   * Sends unconfirmed answers again, after Welcome: they may have been lost with the last
   * connection.
   */
  public void resumed(WorkerId worker) {
    LockSession session = sessions.get(worker);
    if (session != null) {
      long durable = durableIndex.getAsLong();
      // Those that are withheld are the last ones, because commit indexes of answers only grow.
      session.unconfirmed().stream()
          .map(LockSession.Answer::response)
          .filter(response -> response.commitIndex() <= durable)
          .forEach(response -> port.accept(worker, response));
    }
  }

  /**
   * Handles a lock, unlock or test request; answers now or when the wait ends. Messages of another
   * run and repeated ones are ignored.
   */
  public void request(WorkerId worker, LockRequest request) {
    LockSession session = sessions.get(worker);
    if (session == null || !isNew(session, request.intent())) {
      return;
    }
    requests++;
    FileLockKey file = new FileLockKey(request.node(), request.kind().space());
    LockOwner owner = new LockOwner(worker, request.kind().space(), request.owner());
    LockMode mode = request.kind().mode();
    if (mode == null && table.breaksTooMany(file, owner, request.range())) {
      refuse(session, request, file, owner, Quota.LOCKS);
      return;
    }
    if (mode == null) {
      table.unlock(file, owner, request.range());
      freed(session, request.intent(), file, owner, request.range());
      return;
    }
    WaitingLock wanted =
        new WaitingLock(request.intent(), file, owner, request.pid(), request.range(), mode);
    switch (request.wish()) {
      case TEST -> {
        FileLocks.Conflict conflict = table.test(file, owner, request.range(), mode);
        answer(
            session,
            request.intent(),
            conflict == null ? Verdict.GRANTED : denial(conflict),
            file,
            owner,
            conflict);
      }
      case TRY, WAIT -> {
        Quota over = overQuota(session, wanted);
        if (over != null) {
          refuse(session, request, file, owner, over);
        } else {
          lock(session, wanted, request.wish() == LockRequest.Wish.WAIT);
        }
      }
    }
  }

  /**
   * The quota that this lock request exceeds, or null. An owner at its quota may still change a
   * lock that it holds.
   */
  private @Nullable Quota overQuota(LockSession session, WaitingLock wanted) {
    WorkerId worker = session.worker();
    if (!exists.test(wanted.file().node())) {
      return Quota.LOCK_OF_UNKNOWN_NODE;
    }
    boolean holds = table.holds(wanted.file(), wanted.owner());
    if ((!holds && table.heldBy(worker) >= quotas.locks())
        || table.piecesOf(worker) >= quotas.locks() + (holds ? 1 : 0)) {
      return Quota.LOCKS;
    }
    return session.waiting().size() >= quotas.lockWaits() ? Quota.LOCK_WAITS : null;
  }

  private void refuse(
      LockSession session, LockRequest request, FileLockKey file, LockOwner owner, Quota quota) {
    violations.add(quota, session.worker());
    answer(session, request.intent(), Verdict.NO_LOCKS, file, owner, null);
  }

  /** Frees all locks of an owner on a file. */
  public void release(WorkerId worker, LockRelease release) {
    LockSession session = sessions.get(worker);
    if (session == null || !isNew(session, release.intent())) {
      return;
    }
    FileLockKey file = new FileLockKey(release.node(), release.space());
    LockOwner owner = new LockOwner(worker, release.space(), release.owner());
    table.unlock(file, owner, LockRange.WHOLE);
    freed(session, release.intent(), file, owner, LockRange.WHOLE);
  }

  /** Cancels an earlier request: ends its wait, or undoes its grant. */
  public void cancel(WorkerId worker, LockCancel cancel) {
    LockSession session = sessions.get(worker);
    if (session == null || !isNew(session, cancel.intent())) {
      return;
    }
    WaitingLock wanted = session.waiting().remove(cancel.requestSeqNo());
    // A request that was refused meanwhile is unknown here. Answering "still held" costs the worker
    // at most a needless release; answering "not held" would make it forget a lock.
    boolean held = true;
    if (wanted != null) {
      table.cancel(wanted);
      held = table.holds(wanted.file(), wanted.owner());
    } else {
      LockChange undone = undo(session, cancel.requestSeqNo());
      if (undone != null) {
        held = table.holds(undone.file(), undone.owner());
      }
    }
    answer(session, cancel.intent(), Verdict.GRANTED, held, null, null);
  }

  /**
   * Renews the worker's lease on all its locks and drops confirmed answers. Closes the connection
   * if a message was not taken earlier and can be taken now.
   */
  public void renew(WorkerId worker, LockRenew renew) {
    LockSession session = sessions.get(worker);
    if (session != null && session.run().equals(renew.run())) {
      session.renewed(leaseNowNs);
      session.confirmed(renew.answeredThrough());
      if (!hasTooManyUnconfirmed(session) && session.takeRefused()) {
        hangUp.accept(worker);
      }
    }
  }

  /**
   * Advances time: starts grace periods, expires sessions.
   *
   * @return connected workers that have lost their session: their connections must be closed, so
   *     that the next Welcome shows it to them
   */
  public List<WorkerId> tick(long nowNs) {
    sayWithheld();
    leaseNowNs += Math.min(nowNs - tickedNs, ttlNs / CHECKS_PER_TTL);
    tickedNs = nowNs;
    if (leaseNowNs < nextCheckNs) {
      return List.of();
    }
    nextCheckNs = leaseNowNs + Math.min(ttlNs, graceNs) / CHECKS_PER_TTL;
    List<WorkerId> lost = new ArrayList<>();
    for (LockSession session : List.copyOf(sessions.values())) {
      boolean isConnected = connected.test(session.worker());
      int locks = table.heldBy(session.worker());
      if (isConnected && locks == 0) {
        session.renewed(leaseNowNs);
      }
      long age = leaseNowNs - session.renewedNs();
      if (age > ttlNs + graceNs) {
        expire(session, locks);
        if (isConnected) {
          lost.add(session.worker());
        }
      } else if (age > ttlNs && !session.inGrace()) {
        session.enterGrace();
        long remainingMs = (ttlNs + graceNs - age) / NS_PER_MS;
        port.accept(
            session.worker(),
            new LockExpiryWarning(
                session.run(),
                locks,
                (int) remainingMs,
                table.someOf(session.worker(), Protocol.MAX_LOCKS_PER_WARNING)));
      }
    }
    return lost;
  }

  /**
   * Whether an intent of this worker may be committed that was made under locks of this session.
   * Not once the session has ended, whether its lease has expired, the worker or the leader was
   * started again: others may hold the locks since (hypersync.md 10.2). A session's number never
   * comes back, so an intent that is refused once is refused whenever it is sent again.
   *
   * @param number of the session; 0 if the intent was made under no lock
   */
  public boolean admits(WorkerId worker, long number) {
    LockSession session = sessions.get(worker);
    if (number == 0 || (session != null && session.number() == number)) {
      return true;
    }
    fenced++;
    if (leaseNowNs >= nextFencedLogNs) { // whatever a worker sends, it fills no log
      nextFencedLogNs = leaseNowNs + FENCED_LOG_NS;
      LOG.warn(
          "a process of worker {} has lost its locks and writes on as if it held them: refused with"
              + " EIO ({} such calls since the start)",
          worker,
          fenced);
    }
    return false;
  }

  /** The session number of a worker, or 0. */
  public long session(WorkerId worker) {
    LockSession session = sessions.get(worker);
    return session == null ? 0 : session.number();
  }

  /** How many locks a worker's processes hold; all locks of one owner on one file count as one. */
  public int held(WorkerId worker) {
    return table.heldBy(worker);
  }

  /** How many items are kept for a worker: held pieces, waiting requests, unconfirmed answers. */
  public long kept(WorkerId worker) {
    LockSession session = sessions.get(worker);
    return session == null
        ? 0
        : table.piecesOf(worker) + session.waiting().size() + session.unconfirmedWeight();
  }

  /**
   * Locks of all workers, those that wait first.
   *
   * @param most how many at most
   */
  public ListedLock.Listing list(int most) {
    return table.list(most);
  }

  /** Statistics, for status reports. */
  public LockCounters counters() {
    int expiring =
        sessions.values().stream()
            .filter(LockSession::inGrace)
            .mapToInt(session -> table.heldBy(session.worker()))
            .sum();
    return new LockCounters(
        table.held(),
        table.waiting(),
        expiring,
        requests,
        contended,
        deadlocks,
        expired,
        reclaimed,
        fenced);
  }

  private boolean isNew(LockSession session, IntentId intent) {
    if (!session.run().equals(intent.client())) {
      return false;
    }
    if (hasTooManyUnconfirmed(session)) {
      // Neither this message nor a later one is taken. Once answers are confirmed, the connection
      // is closed, and on the next one the worker sends all of them again, in order.
      violations.add(Quota.UNCONFIRMED_ANSWERS, session.worker());
      session.markRefused();
      return false;
    }
    return session.takes(intent.seqNo());
  }

  private boolean hasTooManyUnconfirmed(LockSession session) {
    return session.unconfirmedWeight() >= quotas.unconfirmedAnswers();
  }

  private void lock(LockSession session, WaitingLock wanted, boolean wait) {
    List<HeldLock> before = before(wanted);
    if (converts(wanted, before)) {
      // A flock conversion gives up the old lock even if the new one is not granted, so earlier
      // changes can no longer be undone.
      session.changes().stream()
          .filter(change -> change.isOf(wanted.file(), wanted.owner()))
          .forEach(LockChange::isOver);
    }
    if (wait) {
      session.waiting().put(wanted.intent().seqNo(), wanted);
    }
    LockTable.Outcome outcome = table.lock(wanted, wait);
    if (outcome instanceof LockTable.Outcome.Blocked(FileLocks.Conflict by)) {
      contended++;
      if (!wait) {
        answer(session, wanted.intent(), denial(by), wanted.file(), wanted.owner(), by);
      }
      return;
    }
    session.waiting().remove(wanted.intent().seqNo());
    switch (outcome) {
      case LockTable.Outcome.Granted _ -> granted(session, wanted, before);
      case LockTable.Outcome.Blocked _ -> throw new AssertionError("handled above");
      case LockTable.Outcome.Deadlock _ -> {
        contended++;
        deadlocks++;
        answer(session, wanted.intent(), Verdict.DEADLOCK, wanted.file(), wanted.owner(), null);
      }
      case LockTable.Outcome.TooMany _ ->
          answer(session, wanted.intent(), Verdict.NO_LOCKS, wanted.file(), wanted.owner(), null);
    }
  }

  /**
   * What the owner goes back to if a grant without a wait is undone. A flock conversion releases
   * the old lock first, so it goes back to nothing; a flock request for the mode already held
   * changes nothing.
   */
  private List<HeldLock> before(WaitingLock wanted) {
    List<HeldLock> now = table.within(wanted.file(), wanted.owner(), wanted.range());
    return switch (wanted.file().space()) {
      case FLOCK -> now.stream().filter(held -> held.mode() == wanted.mode()).toList();
      case POSIX -> now;
    };
  }

  private boolean converts(WaitingLock wanted, List<HeldLock> before) {
    return wanted.file().space() == LockSpace.FLOCK
        && before.isEmpty()
        && table.holds(wanted.file(), wanted.owner());
  }

  private void grantedAfterWait(WaitingLock wanted) {
    LockSession session = sessions.get(wanted.owner().worker());
    if (session != null && session.waiting().remove(wanted.intent().seqNo(), wanted)) {
      if (table.heldBy(session.worker()) == 0) {
        session.renewed(leaseNowNs); // its first lock: the lease begins
      }
      // A flock conversion released the old lock before its wait. What the owner holds now was
      // acquired during the wait, and undoing this grant keeps it.
      granted(session, wanted, table.within(wanted.file(), wanted.owner(), wanted.range()));
    }
  }

  private void granted(LockSession session, WaitingLock wanted, List<HeldLock> before) {
    answer(
        session, wanted.intent(), Verdict.GRANTED, true, null, LockChange.granted(wanted, before));
  }

  private void freed(
      LockSession session, IntentId intent, FileLockKey file, LockOwner owner, LockRange range) {
    boolean stillHeld = table.holds(file, owner);
    LockChange change = LockChange.freed(intent.seqNo(), file, owner, range);
    answer(session, intent, Verdict.GRANTED, stillHeld, null, change);
  }

  private void deadlocked(WaitingLock wanted) {
    LockSession session = sessions.get(wanted.owner().worker());
    if (session != null && session.waiting().remove(wanted.intent().seqNo(), wanted)) {
      deadlocks++;
      answer(session, wanted.intent(), Verdict.DEADLOCK, wanted.file(), wanted.owner(), null);
    }
  }

  private @Nullable LockChange undo(LockSession session, long seqNo) {
    List<LockChange> changes = session.changes();
    for (int i = 0; i < changes.size(); i++) {
      LockChange change = changes.get(i);
      if (change.seqNo() == seqNo) {
        List<LockRange> ranges = change.takenBack(changes.subList(i + 1, changes.size()));
        List<HeldLock> before =
            ranges.stream().flatMap(range -> change.before(range).stream()).toList();
        table.restore(change.file(), change.owner(), change.pid(), ranges, before);
        return change;
      }
    }
    return null;
  }

  private Verdict denial(FileLocks.Conflict conflict) {
    LockSession holder = sessions.get(conflict.owner().worker());
    return holder != null && holder.inGrace() ? Verdict.HELD_EXPIRING : Verdict.DENIED;
  }

  private void answer(
      LockSession session,
      IntentId intent,
      Verdict verdict,
      FileLockKey file,
      LockOwner owner,
      FileLocks.@Nullable Conflict by) {
    Holder holder = by == null ? null : holder(session.worker(), by);
    answer(session, intent, verdict, table.holds(file, owner), holder, null);
  }

  private void answer(
      LockSession session,
      IntentId intent,
      Verdict verdict,
      boolean stillHeld,
      @Nullable Holder holder,
      @Nullable LockChange change) {
    LockResponse response =
        new LockResponse(
            intent,
            session.nextAnswer(),
            verdict,
            stillHeld,
            Math.max(durableIndex.getAsLong(), freedAt),
            (int) (ttlNs / NS_PER_MS),
            holder);
    session.answered(response, change);
    if (response.commitIndex() <= durableIndex.getAsLong()) {
      port.accept(session.worker(), response);
    } else {
      // No answer to this session overtakes it: a later one has at least its commit index.
      withheld.add(new Withheld(session.worker(), response));
    }
  }

  private void sayWithheld() {
    while (!withheld.isEmpty()
        && withheld.peek().response().commitIndex() <= durableIndex.getAsLong()) {
      Withheld next = withheld.remove();
      port.accept(next.worker(), next.response());
    }
  }

  /**
   * Describes the conflicting lock for F_GETLK; the pid is sent to its own worker only, because it
   * has no meaning elsewhere.
   */
  private static Holder holder(WorkerId asking, FileLocks.Conflict by) {
    WorkerId worker = by.owner().worker();
    return new Holder(by.lock(), worker, worker.equals(asking) ? by.pid() : 0);
  }

  private void expire(LockSession session, int locks) {
    if (locks > 0) {
      List<Integer> processes = table.pidsOf(session.worker(), NAMED);
      lost.accept(
          session.worker(),
          locks
              + " locks were not renewed in time and are freed; writes under them are refused with"
              + " EIO until the process locks again or closes the file: processes "
              + processes);
      LOG.warn(
          LogEvent.LOCKS_LOST.marker(),
          "worker {} has not renewed its {} locks in time: they are freed, and what their holders"
              + " write is refused with EIO until they lock again or close the file: processes {}",
          session.worker(),
          locks,
          processes);
    }
    expired += locks;
    end(session);
  }

  /**
   * A worker has left for good: frees its locks at once. What it still sends under them is refused.
   */
  public void dismissed(WorkerId worker) {
    LockSession session = sessions.get(worker);
    if (session != null) {
      reclaimed += table.heldBy(worker);
      end(session);
    }
  }

  private void end(LockSession session) {
    sessions.remove(session.worker());
    if (table.heldBy(session.worker()) > 0) {
      freedAt = Math.max(freedAt, headIndex.getAsLong());
    }
    // Answers are numbered by session: the next one of this worker must not take these for its own.
    withheld.removeIf(each -> each.worker().equals(session.worker()));
    table.forget(session.worker());
  }
}

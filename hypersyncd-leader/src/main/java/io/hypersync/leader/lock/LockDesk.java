package io.hypersync.leader.lock;

import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.Refusals;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.agent.Entropy;
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
 * The lock manager (hypersync.md 10.2): sessions, answers and leases around a {@link LockTable}.
 * Owned by the leader agent; time comes in with the calls.
 */
public final class LockDesk {
  private static final Logger LOG = LoggerFactory.getLogger(LockDesk.class);
  private static final long NS_PER_MS = 1_000_000;
  private static final int CHECKS_PER_TTL = 16;

  private final long ttlNs;
  private final long graceNs;
  private final Entropy entropy;
  private final LongSupplier durableIndex;
  private final BiConsumer<WorkerId, LeaderMessage> port;
  private final Predicate<WorkerId> connected;
  private final Predicate<NodeId> exists;
  private final Consumer<WorkerId> hangUp;
  private final WorkerQuotas quotas;
  private final Refusals refusals;
  private final LockTable table = new LockTable(this::grantedAfterWait, this::deadlocked);
  private final Map<WorkerId, LockSession> sessions = new LinkedHashMap<>();

  /** Time while this leader was running: what it slept through nobody could have renewed in. */
  private long leaseNowNs;

  private long tickedNs;
  private long nextCheckNs;
  private long requests;
  private long contended;
  private long deadlocks;
  private long expired;
  private long reclaimed;

  /**
   * Nobody holds anything.
   *
   * @param ttlNs how long a lock lives without being renewed
   * @param graceNs how much longer it can still be renewed
   * @param entropy numbers the sessions
   * @param durableIndex the commit index
   * @param port sends; what is sent to a worker that is not connected is lost
   * @param connected whether the worker is
   * @param exists whether a node is in the newest state
   * @param hangUp ends the connection of a worker, so that it sends again what was not taken
   * @param quotas the most that is kept for each worker
   * @param refusals hears of what was not taken
   */
  public LockDesk(
      long ttlNs,
      long graceNs,
      Entropy entropy,
      LongSupplier durableIndex,
      BiConsumer<WorkerId, LeaderMessage> port,
      Predicate<WorkerId> connected,
      Predicate<NodeId> exists,
      Consumer<WorkerId> hangUp,
      WorkerQuotas quotas,
      Refusals refusals,
      long nowNs) {
    this.ttlNs = ttlNs;
    this.graceNs = graceNs;
    this.entropy = entropy;
    this.durableIndex = durableIndex;
    this.port = port;
    this.connected = connected;
    this.exists = exists;
    this.hangUp = hangUp;
    this.quotas = quotas;
    this.refusals = refusals;
    this.tickedNs = nowNs;
  }

  /**
   * A worker has said Hello, and its certificate says who it is. If this is another run than before
   * then the one before is dead, and its locks are free at once (10.2(6)).
   *
   * @return the number of its session, for Welcome
   */
  public long greeted(WorkerId worker, ClientId run) {
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
    var _ = session.hasToSendAgain(); // it does so now
    return session.number();
  }

  /** Welcome is sent: says again what may have been lost with the last connection. */
  public void resumed(WorkerId worker) {
    LockSession session = sessions.get(worker);
    if (session != null) {
      session.unconfirmed().forEach(answer -> port.accept(worker, answer.response()));
    }
  }

  /** Lock, unlock or test. */
  public void request(WorkerId worker, LockRequest request) {
    LockSession session = sessions.get(worker);
    if (session == null || !isNew(session, request.intent())) {
      return;
    }
    requests++;
    LockKey file = new LockKey(request.node(), request.kind().space());
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

  /** Why this is not even tried, or null. Who has a lock already may change it. */
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
      LockSession session, LockRequest request, LockKey file, LockOwner owner, Quota quota) {
    refusals.add(quota, session.worker());
    answer(session, request.intent(), Verdict.NO_LOCKS, file, owner, null);
  }

  /** Everything that this owner has locked of the file is free. */
  public void release(WorkerId worker, LockRelease release) {
    LockSession session = sessions.get(worker);
    if (session == null || !isNew(session, release.intent())) {
      return;
    }
    LockKey file = new LockKey(release.node(), release.space());
    LockOwner owner = new LockOwner(worker, release.space(), release.owner());
    table.unlock(file, owner, LockRange.WHOLE);
    freed(session, release.intent(), file, owner, LockRange.WHOLE);
  }

  /** A request is given up: its wait ends, or its grant is undone. */
  public void cancel(WorkerId worker, LockCancel cancel) {
    LockSession session = sessions.get(worker);
    if (session == null || !isNew(session, cancel.intent())) {
      return;
    }
    WaitingLock wanted = session.waiting().remove(cancel.requestSeqNo());
    // A request that was refused meanwhile is not known here any more. To say that its owner holds
    // something costs the worker a release too much; to say the contrary would have it forget.
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

  /** The worker still wants its locks. */
  public void renew(WorkerId worker, LockRenew renew) {
    LockSession session = sessions.get(worker);
    if (session != null && session.run().equals(renew.run())) {
      session.renewed(leaseNowNs);
      session.confirmed(renew.answeredThrough());
      if (!hasTooManyUnconfirmed(session) && session.hasToSendAgain()) {
        hangUp.accept(worker);
      }
    }
  }

  /**
   * Lets leases end.
   *
   * @return the workers that are connected and have lost their session: their connections have to
   *     be closed, so that they learn of it with the next Welcome
   */
  public List<WorkerId> tick(long nowNs) {
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

  /** The number of a worker's session, or 0. */
  public long session(WorkerId worker) {
    LockSession session = sessions.get(worker);
    return session == null ? 0 : session.number();
  }

  /** How many locks a worker's processes hold; one owner's of one file count as one. */
  public int held(WorkerId worker) {
    return table.heldBy(worker);
  }

  /** How much is kept for a worker: pieces it holds, requests that wait, unconfirmed answers. */
  public long kept(WorkerId worker) {
    LockSession session = sessions.get(worker);
    return session == null
        ? 0
        : table.piecesOf(worker) + session.waiting().size() + session.unconfirmedWeight();
  }

  /** How the locks are. */
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
        reclaimed);
  }

  private boolean isNew(LockSession session, IntentId intent) {
    if (!session.run().equals(intent.client())) {
      return false;
    }
    if (hasTooManyUnconfirmed(session)) {
      // Not taken, nor is any that follows. When answers are confirmed it is told to begin anew.
      refusals.add(Quota.UNCONFIRMED_ANSWERS, session.worker());
      session.toldToWait();
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
      // What it has is gone whether it gets the other or not: there is no way back behind this.
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
   * What a grant without a wait goes back to if it is undone. A flock that is converted lets go
   * before it asks, so that is nothing; one that asks for what it has is left alone.
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
      // A conversion has let go long ago: what is there now came later, and stays.
      granted(session, wanted, table.within(wanted.file(), wanted.owner(), wanted.range()));
    }
  }

  private void granted(LockSession session, WaitingLock wanted, List<HeldLock> before) {
    answer(
        session, wanted.intent(), Verdict.GRANTED, true, null, LockChange.granted(wanted, before));
  }

  private void freed(
      LockSession session, IntentId intent, LockKey file, LockOwner owner, LockRange range) {
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
      LockKey file,
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
            durableIndex.getAsLong(),
            (int) (ttlNs / NS_PER_MS),
            holder);
    session.answered(response, change);
    port.accept(session.worker(), response);
  }

  /** A process has a number on its own worker only. */
  private static Holder holder(WorkerId asking, FileLocks.Conflict by) {
    WorkerId worker = by.owner().worker();
    return new Holder(by.lock(), worker, worker.equals(asking) ? by.pid() : 0);
  }

  private void expire(LockSession session, int locks) {
    if (locks > 0) {
      LOG.warn(
          "worker {} has not renewed its {} locks in time: they are freed",
          session.worker(),
          locks);
    }
    expired += locks;
    end(session);
  }

  private void end(LockSession session) {
    sessions.remove(session.worker());
    table.forget(session.worker());
  }
}

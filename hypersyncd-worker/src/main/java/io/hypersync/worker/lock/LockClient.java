package io.hypersync.worker.lock;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockMode;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRenew;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.incarnation.LockRecords;
import io.hypersync.worker.incarnation.MountMemory;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.replica.IndexCallbacks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's side of its lock session (hypersync.md 10.2): requests are numbered, sent in order,
 * and sent again in order after a reconnect until they are answered; each answer is processed once.
 * Owned by the worker agent, on its thread.
 *
 * <p>When a caller gives up a lock request that the leader may have, the call ends at once and a
 * cancel is sent behind the request. Whether or not the leader had granted it, the locks held
 * afterwards are those held before, except for what other threads have locked or freed since. So
 * EINTR is always true and never waits for the network.
 *
 * <p>A call that must not wait for a lock does not wait for an unreachable leader either: it ends
 * with ENOLCK, and is cancelled in the same way, when the connection is found to be lost, and at
 * once while there is none. A call that may wait goes on waiting: the lock's holder may keep it
 * just as long.
 */
public final class LockClient {
  private static final Logger LOG = LoggerFactory.getLogger(LockClient.class);
  private static final long NS_PER_MS = 1_000_000;
  private static final long FIRST_TTL_NS = 3_000 * NS_PER_MS;
  private static final int RENEWALS_PER_TTL = 3;
  private static final int EARLY_INTERRUPTS = 256;

  /** Most processes that a log line names. */
  private static final int NAMED = 10;

  /**
   * Confirms answers without waiting for the next renewal once there are this many: the leader
   * keeps each until it is confirmed.
   */
  private static final int MANY_ANSWERS = 256;

  private ClientId run;
  private final LeaderLink link;
  private final IndexCallbacks settled;
  private final HeldLocks heldLocks;
  private final long deadlineNs;
  private final Map<Long, PendingLock> pending = new LinkedHashMap<>();

  /**
   * Interrupts that arrived before their request, and interrupts of requests that are not lock
   * requests.
   */
  private final Set<RequestId> earlyInterrupts = new LinkedHashSet<>();

  /** What the next process needs; null if there is none. */
  private @Nullable MountMemory memory;

  private Runnable whenLost = () -> {};
  private boolean online;
  private @Nullable Long session;
  private long epoch;
  private long lastSeqNo;
  private long lastAnswer;
  private long confirmed;
  private long answersAtRenewal;
  private long ttlNs = FIRST_TTL_NS;
  private long renewedNs;
  private long lost;
  private long warnings;
  private boolean stopped;

  /**
   * Creates a client without a session.
   *
   * @param run random; the client id of all lock intents of this run
   * @param settled runs callbacks once the kernel has completed the invalidations of an index
   * @param heldLocks what the vfs checks before it sends a request here
   * @param deadlineNs how long, in nanoseconds, a call that must not wait for a lock waits for a
   *     leader that is connected and does not answer
   */
  public LockClient(
      ClientId run, LeaderLink link, IndexCallbacks settled, HeldLocks heldLocks, long deadlineNs) {
    this.run = run;
    this.link = link;
    this.settled = settled;
    this.heldLocks = heldLocks;
    this.deadlineNs = deadlineNs;
  }

  /**
   * Sets what is run when the leader has none of the locks that this run held: before any request
   * of the new session, and before any entry that the leader sends in it.
   */
  public void whenLost(Runnable lost) {
    this.whenLost = lost;
  }

  /**
   * Keeps in this memory what another process needs that serves the mount after this one. To be
   * called before anything else.
   *
   * @param isSuccessor whether to go on with what an earlier process has left there: under its run,
   *     so that the leader keeps the locks. What it had asked for and got no answer to is
   *     cancelled, since the kernel asks again; what it was releasing is released
   */
  public void keep(MountMemory kept, boolean isSuccessor) {
    run = kept.lockRun();
    List<LockRecords.Row> rows = isSuccessor ? kept.locks().inherit() : List.of();
    heldLocks.keep(
        kept.locks(), rows.stream().filter(row -> !isMessage(row)).toList(), kept.lockSession());
    memory = kept;
    lastSeqNo = kept.lastLockNumber();
    session = kept.lockSession() == 0 ? null : (Long) kept.lockSession();
    rows.stream()
        .filter(LockClient::isMessage)
        .sorted(Comparator.comparingLong(LockRecords.Row::number))
        .forEach(this::settle);
  }

  private static boolean isMessage(LockRecords.Row row) {
    return row.kind() == LockRecords.Kind.REQUESTED || row.kind() == LockRecords.Kind.RELEASED;
  }

  private void settle(LockRecords.Row row) {
    OwnerLockKey key = new OwnerLockKey(row.key().node(), row.key().space(), row.key().owner());
    long seqNo = nextSeqNo();
    IntentId intent = new IntentId(run, seqNo);
    WorkerMessage message =
        row.kind() == LockRecords.Kind.RELEASED
            ? new LockRelease(intent, key.node(), key.space(), key.owner().value())
            : new LockCancel(intent, row.number());
    add(PendingLock.freeing(seqNo, message, key, () -> {}));
    if (row.kind() == LockRecords.Kind.RELEASED) {
      answered(row.number()); // the new release is noted by now
    }
  }

  /** The random id of this run, sent in Hello. */
  public ClientId run() {
    return run;
  }

  /** Submits a call. A call that locks must have been noted by {@link HeldLocks#asked}. */
  public void submit(LockCall call, long nowNs) {
    boolean tests = call.wish() == Wish.TEST;
    if (earlyInterrupts.remove(call.unique()) && call.wish() == Wish.WAIT) {
      fail(call, Errno.EINTR);
      return;
    }
    if (stopped) {
      fail(call, Errno.EIO);
      return;
    }
    if (locks(call) && heldLocks.refuses(call.key(), call.range())) {
      fail(call, Errno.EIO); // its process does not know yet that it has lost its locks
      return;
    }
    if (!online && isImpatient(call)) {
      fail(call, Errno.ENOLCK);
      return;
    }
    long seqNo = nextSeqNo();
    LockRequest request =
        new LockRequest(
            new IntentId(run, seqNo),
            call.key().node(),
            LockKind.of(call.key().space(), call.mode()),
            call.key().owner().value(),
            call.pid(),
            call.range(),
            call.wish());
    if (call.mode() == null && !tests) {
      heldLocks.unlocking(call.key(), call.range());
      add(PendingLock.unlocking(seqNo, request, call));
    } else {
      long deadline = call.wish() == Wish.WAIT ? Long.MAX_VALUE : nowNs + deadlineNs;
      add(PendingLock.of(seqNo, request, call, deadline));
    }
  }

  /**
   * Releases all locks of an owner on a file, because a descriptor was closed.
   *
   * @param done run when the leader has released them, or at once without a connection: no later
   *     request of this worker overtakes the release, and the lease bounds how long it takes
   */
  public void release(OwnerLockKey key, Runnable done) {
    if (stopped) {
      done.run();
      return;
    }
    heldLocks.closing(key);
    long seqNo = nextSeqNo();
    IntentId intent = new IntentId(run, seqNo);
    add(
        PendingLock.freeing(
            seqNo,
            new LockRelease(intent, key.node(), key.space(), key.owner().value()),
            key,
            done));
  }

  /**
   * Handles a signal to the caller of a request: if the request waits for a lock, or for a leader
   * that is unreachable, it ends with EINTR.
   */
  public void interrupt(RequestId unique) {
    for (PendingLock waiting : List.copyOf(pending.values())) {
      LockCall call = waiting.call();
      if (call != null && call.unique().equals(unique)) {
        // A request that does not wait for a lock is answered in a moment, unless there is no
        // connection.
        if (!waiting.abandoned() && (call.wish() == Wish.WAIT || !online)) {
          giveUp(waiting, call, Errno.EINTR);
        }
        return;
      }
    }
    earlyInterrupts.add(unique);
    if (earlyInterrupts.size() > EARLY_INTERRUPTS) {
      earlyInterrupts.remove(earlyInterrupts.iterator().next());
    }
  }

  /** Handles the leader's welcome: sends everything again that is unanswered. */
  public void welcomed(Welcome welcome, long nowNs) {
    if (session != null && session != welcome.lockSession()) {
      forgetSession();
    }
    session = welcome.lockSession();
    if (memory != null) {
      memory.lockSession(welcome.lockSession());
    }
    epoch = welcome.leaderEpoch();
    online = true;
    pending.values().forEach(this::send);
    // After the requests: a grant that a cancel among them undoes must not be confirmed earlier.
    renew(nowNs);
  }

  /**
   * Handles the loss of the connection. Callers of releases and unlocks are answered; calls that
   * must not wait end with ENOLCK.
   */
  public void linkDown() {
    online = false;
    for (PendingLock each : List.copyOf(pending.values())) {
      each.runDone();
      LockCall call = each.call();
      if (call != null && !each.abandoned() && isImpatient(call)) {
        giveUp(each, call, Errno.ENOLCK);
      }
    }
  }

  /** Handles an answer of the leader. */
  public void answered(LockResponse response) {
    if (response.number() <= lastAnswer) {
      return; // sent again after a reconnect
    }
    lastAnswer = response.number();
    ttlNs = response.leaseTtlMs() * NS_PER_MS;
    PendingLock request = pending.get(response.intent().seqNo());
    if (request == null) {
      return;
    }
    LockCall call = request.call();
    if (call == null) {
      remove(request);
      PendingLock cancelled =
          request.message() instanceof LockCancel(_, long seqNo) ? pending.get(seqNo) : null;
      if (cancelled != null) {
        finish(cancelled, response.stillHeld());
      } else {
        heldLocks.found(request.key(), response.stillHeld(), number());
      }
      if (response.verdict() == LockResponse.Verdict.NO_LOCKS) {
        request.runRefused();
      } else {
        request.runDone();
      }
      return;
    }
    if (call.wish() == Wish.TEST) {
      remove(request);
      tell(request, call, response);
      return;
    }
    if (response.verdict() == LockResponse.Verdict.GRANTED && !request.abandoned()) {
      int grant = request.grantedBy(response);
      settled.when(response.commitIndex(), () -> nowVisible(request, call, grant));
      return;
    }
    finish(request, response.stillHeld());
    tell(request, call, response);
  }

  /**
   * Handles the leader's warning that locks of this worker have not been renewed for too long:
   * counts it, and renews at once if they are this run's.
   */
  public void warned(LockExpiryWarning warning, long nowNs) {
    warnings++;
    if (warning.run().equals(run) && online) {
      renew(nowNs);
    }
  }

  /**
   * Renews if that is due, and ends with EIO the calls that have waited too long for the leader's
   * answer.
   */
  public void tick(long nowNs) {
    // By the newest TTL: the first answer may carry a shorter one than this run began with.
    boolean due = nowNs - renewedNs >= ttlNs / RENEWALS_PER_TTL;
    boolean wanted = lastAnswer > confirmed || heldLocks.held() > 0;
    if (online && ((due && wanted) || lastAnswer - answersAtRenewal >= MANY_ANSWERS)) {
      renew(nowNs);
    }
    if (pending.isEmpty()) {
      return;
    }
    for (PendingLock request : List.copyOf(pending.values())) {
      LockCall call = request.call();
      if (call != null
          && !request.abandoned()
          && request.deadlineNs() != Long.MAX_VALUE
          && nowNs - request.deadlineNs() >= 0) {
        giveUp(request, call, Errno.EIO);
      }
    }
  }

  /**
   * Gives back the grants that wait for an entry to become visible, with EIO: nothing more will.
   */
  public void neverVisible() {
    for (PendingLock request : List.copyOf(pending.values())) {
      LockCall call = request.call();
      if (call != null && request.grant() != null && !request.abandoned()) {
        giveUp(request, call, Errno.EIO);
      }
    }
  }

  /** Ends every call; the worker stops. */
  public void shutdown() {
    stopped = true;
    for (PendingLock request : List.copyOf(pending.values())) {
      LockCall call = request.call();
      remove(request);
      request.runDone();
      if (call != null && !request.abandoned()) {
        fail(call, Errno.EIO);
      }
    }
  }

  /** The number of locks held; all locks of one owner on one file count as one. */
  public int held() {
    return heldLocks.held();
  }

  /** The number of requests that wait for the leader's answer and were not given up. */
  public int waiting() {
    return (int) pending.values().stream().filter(each -> !each.abandoned()).count();
  }

  /** The number of messages without an answer; at 0 leader and worker agree on the locks held. */
  public int unanswered() {
    return pending.size();
  }

  /** The number of locks lost with their session since the start. */
  public long lost() {
    return lost;
  }

  /** The number of warnings received that the leader is about to free locks of this worker. */
  public long warnings() {
    return warnings;
  }

  /** The id of the lock session, or null before the first. */
  public @Nullable Long session() {
    return session;
  }

  /** Whether the call locks or tests, and must not wait for a lock. An unlock may wait. */
  private static boolean isImpatient(LockCall call) {
    return call.mode() != null && call.wish() != Wish.WAIT;
  }

  private static boolean locks(LockCall call) {
    return call.mode() != null && call.wish() != Wish.TEST;
  }

  /** The number of the session; 0 before the first. */
  private long number() {
    return session == null ? 0 : session;
  }

  private long nextSeqNo() {
    lastSeqNo++;
    if (memory != null) {
      memory.lockNumber(lastSeqNo);
    }
    return lastSeqNo;
  }

  private void add(PendingLock request) {
    pending.put(request.seqNo(), request);
    noteSent(request);
    if (online) {
      send(request);
    } else {
      request.runDone();
    }
  }

  private void noteSent(PendingLock request) {
    MountMemory kept = memory;
    boolean tests = request.call() != null && request.call().wish() == Wish.TEST;
    if (kept == null || tests || request.message() instanceof LockCancel) {
      return; // the request that a cancel is about is noted until the cancel is answered
    }
    kept.locks()
        .sent(
            request.seqNo(),
            request.message() instanceof LockRelease
                ? LockRecords.Kind.RELEASED
                : LockRecords.Kind.REQUESTED,
            new LockRecords.Key(
                request.key().node(), request.key().space(), request.key().owner()));
  }

  private void answered(long seqNo) {
    MountMemory kept = memory;
    if (kept != null) {
      kept.locks().answered(seqNo);
    }
  }

  /** Removes a request. To be called before its caller is answered. */
  private void remove(PendingLock request) {
    pending.remove(request.seqNo());
    answered(request.seqNo());
    if (request.message() instanceof LockCancel cancel) {
      answered(cancel.requestSeqNo());
    }
  }

  private void send(PendingLock request) {
    request.markSent();
    link.send(request.message());
  }

  /** Ends a call and cancels its request. The call ends last: the caller may lock again at once. */
  private void giveUp(PendingLock request, LockCall call, Errno errno) {
    if (request.sent()) {
      request.abandon();
      if (call.wish() != Wish.TEST) {
        long seqNo = nextSeqNo();
        WorkerMessage cancel = new LockCancel(new IntentId(run, seqNo), request.seqNo());
        add(PendingLock.freeing(seqNo, cancel, request.key(), () -> {}));
      }
      call.ending().failed(errno);
    } else {
      remove(request);
      fail(call, errno);
    }
  }

  /** Ends a call that leaves the locks held unchanged, or whose locks no longer matter. */
  private void fail(LockCall call, Errno errno) {
    if (locks(call)) {
      heldLocks.unasked(call.key());
    }
    call.ending().failed(errno);
  }

  private void finish(PendingLock request, boolean held) {
    remove(request);
    heldLocks.ended(request.key(), held, number());
  }

  private void nowVisible(PendingLock request, LockCall call, int grant) {
    if (request.abandoned()
        || !request.isGrantedBy(grant)
        || pending.get(request.seqNo()) != request) {
      return; // given up, or lost with its session, while it waited
    }
    remove(request);
    LockMode mode = call.mode();
    if (mode == null) {
      heldLocks.ended(request.key(), true, number());
    } else {
      heldLocks.granted(call.key(), number(), call.range(), mode, call.pid());
    }
    call.ending().granted();
  }

  private static void tell(PendingLock request, LockCall call, LockResponse response) {
    if (request.abandoned()) {
      return;
    }
    switch (response.verdict()) {
      case GRANTED -> call.ending().granted();
      case DENIED, HELD_EXPIRING ->
          call.ending().denied(Objects.requireNonNull(response.holder(), "the codec sees to it"));
      case DEADLOCK -> call.ending().failed(Errno.EDEADLK);
      case NO_LOCKS -> call.ending().failed(Errno.ENOLCK);
    }
  }

  private void renew(long nowNs) {
    renewedNs = nowNs;
    answersAtRenewal = lastAnswer;
    confirmed = lastAnswer;
    for (PendingLock request : pending.values()) {
      LockResponse grant = request.grant();
      if (grant != null) {
        confirmed = Math.min(confirmed, grant.number() - 1); // a cancel may still undo it
      }
    }
    link.send(new LockRenew(run, epoch, confirmed));
  }

  /**
   * Handles the start of another session: the leader has none of the locks that this run held
   * (10.2).
   */
  private void forgetSession() {
    List<HeldLocks.Lost> gone = heldLocks.lost();
    whenLost.run();
    if (!gone.isEmpty()) {
      LOG.warn(
          LogEvent.LOCKS_LOST.marker(),
          "{} locks are lost: the leader was started again, or freed them. What their holders write"
              + " is refused with EIO until they lock again or close the file: processes {}",
          gone.size(),
          gone.stream().map(HeldLocks.Lost::pid).distinct().limit(NAMED).toList());
    }
    lost += gone.size();
    lastAnswer = 0;
    confirmed = 0;
    answersAtRenewal = 0;
    List<PendingLock> moot = new ArrayList<>();
    for (PendingLock request : pending.values()) {
      request.grantLost();
      if (request.abandoned() || request.message() instanceof LockCancel) {
        moot.add(request);
      }
    }
    for (PendingLock request : moot) {
      remove(request);
      if (request.call() != null && request.call().wish() != Wish.TEST) {
        heldLocks.ended(request.key(), false, number());
      }
    }
    for (PendingLock request : List.copyOf(pending.values())) {
      LockCall call = request.call();
      if (call != null && locks(call) && heldLocks.refuses(call.key(), call.range())) {
        remove(request);
        fail(call, Errno.EIO);
      }
    }
  }
}

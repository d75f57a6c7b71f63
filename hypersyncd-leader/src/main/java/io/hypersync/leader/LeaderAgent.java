package io.hypersync.leader;

import io.hypersync.leader.lease.OpenLeases;
import io.hypersync.leader.lease.Reaper;
import io.hypersync.leader.lock.LockDesk;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.LogReadPort;
import io.hypersync.leader.port.RootAuditPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.Refusals;
import io.hypersync.leader.recovery.AuditFinding;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.RootClaims;
import io.hypersync.leader.recovery.WrongRootException;
import io.hypersync.leader.sequencer.CommitListener;
import io.hypersync.leader.sequencer.Genesis;
import io.hypersync.leader.sequencer.IntentDesk;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.leader.session.AbsentWorkers;
import io.hypersync.leader.session.AbsentWorkers.Absence;
import io.hypersync.leader.session.Greeter;
import io.hypersync.leader.session.ReceivedMessages;
import io.hypersync.leader.session.TailCache;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import io.hypersync.wire.agent.Agent;
import io.hypersync.wire.agent.Clock;
import io.hypersync.wire.agent.Entropy;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.BarrierResponse;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.transport.SessionId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of the leader that decides: sessions, intents, order, acknowledgements. Single-threaded:
 * every method is called by the thread that calls {@link #doWork}.
 */
public final class LeaderAgent implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderAgent.class);

  private final LeaderConfig config;
  private final long epoch;
  private final OpLog log;
  private final ChunkPort chunks;
  private final SessionPort port;
  private final Clock clock;
  private final Sequencer sequencer;
  private final WorkerSessions sessions;
  private final Refusals refusals;
  private final ReceivedMessages received = new ReceivedMessages();
  private final IntentDesk desk;
  private final LockDesk locks;
  private final Greeter greeter;
  private final OpenLeases leases;
  private final Reaper reaper;
  private final AbsentWorkers absent = new AbsentWorkers();
  private final RootClaims claims;
  private final DirectWrites directWrites = new DirectWrites();
  private long freeBytes = LeaderMessage.Heartbeat.UNKNOWN;
  private long streamedThrough;
  private long nextHeartbeatNs;
  private boolean sessionsChanged;

  /**
   * Starts to lead from a recovered state.
   *
   * @param entropy decides node ids, op ids and the leader epoch
   * @param listener hears of what has been committed
   */
  public LeaderAgent(
      LeaderConfig config,
      LeaderState recovered,
      OpLog log,
      ChunkPort chunks,
      LogReadPort logReader,
      RootAuditPort auditor,
      SessionPort port,
      Clock clock,
      Entropy entropy,
      CommitListener listener) {
    this.config = config;
    this.epoch = entropy.nextLong() >>> 1;
    this.log = log;
    this.chunks = chunks;
    this.port = port;
    this.clock = clock;
    this.refusals = new Refusals(clock);
    this.sequencer = new Sequencer(recovered, log, clock, entropy, config.maxStateBytes());
    TailCache tail = new TailCache(recovered.index() + 1, config.tailCacheBytes());
    this.sessions = new WorkerSessions(port, logReader, tail, config.windowEntries(), this::ending);
    ClientId self = new ClientId(entropy.nextLong(), entropy.nextLong());
    this.desk =
        new IntentDesk(
            config,
            sequencer,
            log,
            chunks,
            tail,
            self,
            this::sendTo,
            sessions::sequenced,
            clock,
            listener,
            refusals);
    this.locks =
        new LockDesk(
            config.lockTtlNs(),
            config.lockGraceNs(),
            entropy,
            log::durableIndex,
            this::sendTo,
            worker -> sessions.of(worker) != null,
            node -> sequencer.head().node(node) != null,
            this::hangUp,
            config.quotas(),
            refusals,
            clock.monotonicNs());
    this.greeter = new Greeter(config, epoch, log, sessions, port, locks);
    this.leases =
        new OpenLeases(
            epoch,
            config.openLeaseTtlNs(),
            node -> sequencer.head().node(node),
            config.quotas().openLeases(),
            refusals);
    this.reaper =
        new Reaper(
            config.openLeaseTtlNs(),
            leases,
            sequencer.orphans(),
            sessions,
            this::reap,
            clock.monotonicNs());
    this.claims = new RootClaims(auditor);
    this.streamedThrough = recovered.index();
    this.nextHeartbeatNs = clock.monotonicNs();
  }

  /** A connection has come up; the transport has verified the certificate. */
  public void sessionOpened(SessionId session, WorkerId worker, String address) {
    WorkerSession silent = sessions.oldestOfTooManySilent(worker, config.quotas().silentSessions());
    if (silent != null) {
      refusals.add(Quota.SILENT_SESSIONS, worker);
      sessions.close(silent, null);
    }
    sessions.opened(session, worker, address, clock.monotonicNs());
  }

  /**
   * A connection has gone.
   *
   * @param reason for people
   */
  public void sessionClosed(SessionId id, String reason) {
    WorkerSession session = sessions.get(id);
    if (session != null && session.greeted()) {
      left(session, reason);
    }
    sessions.closed(id);
  }

  /** What the disk of the log and the chunks can still take, in bytes; workers are told of it. */
  public void freeBytes(long bytes) {
    freeBytes = bytes;
  }

  private void ending(WorkerSession session, LeaderMessage.@Nullable Refused lastWord) {
    if (lastWord == null) {
      if (session.greeted()) {
        left(session, "the leader ended the connection: nothing was heard from it");
      }
      return;
    }
    Absence absence =
        absent.add(
            session.worker(),
            AbsentWorkers.Kind.of(lastWord.reason()),
            session.address(),
            lastWord.message(),
            session.appliedIndex(),
            clock.monotonicNs());
    if (absence.times() == 1) {
      LOG.warn(
          "worker {} from {} is refused: {}; that it tries again is not said again",
          session.worker(),
          session.address(),
          absence.reason());
    }
  }

  private void left(WorkerSession session, String reason) {
    LOG.info("worker {} left ({}): {}", session.worker(), session.id(), reason);
    var _ =
        absent.add(
            session.worker(),
            AbsentWorkers.Kind.LEFT,
            session.address(),
            reason,
            session.appliedIndex(),
            clock.monotonicNs());
  }

  private void greeted(WorkerSession session) {
    LOG.info(
        "worker {} joined from {} at entry {} ({})",
        session.worker(),
        session.address(),
        session.appliedIndex(),
        session.id());
    absent.greeted(session.worker());
    leases.greeted(session.worker());
  }

  /** A message has arrived. */
  public void received(SessionId id, WorkerMessage message) {
    WorkerSession session = sessions.get(id);
    if (session == null) {
      return;
    }
    long now = clock.monotonicNs();
    session.heard(now);
    received.add(message);
    if (message instanceof WorkerMessage.Hello hello) {
      greeter.hello(session, hello, now);
      if (session.greeted()) {
        greeted(session);
        desk.greeted(session.worker(), hello.run(), hello.leaderEpochSeen().isEmpty());
      }
      sessionsChanged = true;
      return;
    }
    if (!session.greeted()) {
      greeter.refuseUngreeted(session);
      return;
    }
    switch (message) {
      case WorkerMessage.Hello _ -> throw new AssertionError("handled above");
      case WorkerMessage.SubmitIntent submit -> desk.submit(session.worker(), submit, now);
      case WorkerMessage.IntentStatusRequest(IntentId intent) ->
          desk.status(session.worker(), intent, now);
      case WorkerMessage.BarrierRequest(long requestId) ->
          port.send(id, new BarrierResponse(requestId, log.durableIndex()));
      case WorkerMessage.WorkerApplied applied -> {
        session.reported(applied);
        sessionsChanged = true;
        if (desk.reported(session.worker(), applied.appliedIndex())) {
          hangUp(session.worker());
        }
        claimed(session.worker(), applied.applyError(), now);
      }
      case WorkerMessage.LockRequest request -> locks.request(session.worker(), request);
      case WorkerMessage.LockRelease release -> locks.release(session.worker(), release);
      case WorkerMessage.LockCancel cancel -> locks.cancel(session.worker(), cancel);
      case WorkerMessage.LockRenew renew -> locks.renew(session.worker(), renew);
      case WorkerMessage.OpenLeaseAcquire acquire -> leases.acquire(session.worker(), acquire);
      case WorkerMessage.OpenLeaseRelease release -> leases.release(session.worker(), release);
      case WorkerMessage.OpenLeaseRenew renew -> leases.renew(session.worker(), renew);
      case WorkerMessage.ChunkPut put -> {
        if (desk.takesChunk(session.worker(), put, now)) {
          chunks.ingest(id, put);
        }
      }
      case WorkerMessage.ChunkFetch(var wanted) -> chunks.serve(id, wanted);
    }
  }

  /**
   * A chunk is in the store, and was verified just now: one that a worker sent, or an older one.
   */
  public void chunkStored(Hash hash, int length) {
    desk.chunkArrived(hash, length);
  }

  /** A chunk that the store knows cannot be read, or is not what it was. */
  public void chunkUnreadable(Hash hash) {
    desk.chunkUnreadable(hash);
  }

  /** A chunk that a worker sent does not match its hash, or cannot be stored. */
  public void chunkRefused(SessionId id, IntentId intent, Errno errno) {
    WorkerSession session = sessions.get(id);
    if (session != null) {
      desk.chunkRefused(session.worker(), intent, errno);
    }
  }

  /**
   * The answer of the {@link RootAuditPort}.
   *
   * @throws WrongRootException if the log is wrong; it ends this leader
   */
  public void audited(AuditFinding finding) {
    claims.audited(finding, clock.monotonicNs());
  }

  /** The answer of the {@link LogReadPort}. */
  public void logRead(SessionId session, long fromIndex, List<byte[]> entries) {
    sessions.logRead(session, fromIndex, entries, log.durableIndex());
    sessionsChanged = true;
  }

  /** The log stream of a session takes more again. */
  public void writable() {
    sessionsChanged = true;
  }

  /**
   * Sends the acks that rest on what has become durable; then sequences what can be sequenced,
   * which may wait for the disk ({@link DirectWrites}), and sends the entries that are durable, and
   * to a worker its own ones while they are on their way to the disk; then heartbeats when they are
   * due.
   */
  @Override
  public int doWork() {
    long durable = log.durableIndex();
    // Acks first: who gets the first message gets the first packets, and behind these a call waits.
    int work = desk.release(durable);
    if (work > 0 && desk.pending() > 0) {
      // To sequence what a flood has left in the queue may take a while. While packets are being
      // read the transport holds even this back.
      port.flush();
    }
    int sequenced = sequence(work == 0 && durable == streamedThrough);
    if (sequenced > 0) {
      durable = log.durableIndex();
      // What was written here, and refusals, which rest on no entry that is not durable.
      work += sequenced + desk.release(durable);
    }
    if (sequenced > 0 || durable > streamedThrough || sessionsChanged) {
      sessionsChanged = false;
      streamedThrough = durable;
      work += sessions.stream(durable);
    }
    long now = clock.monotonicNs();
    if (now >= nextHeartbeatNs) {
      nextHeartbeatNs = now + config.heartbeatNs();
      sessions.heartbeat(epoch, durable, freeBytes);
      sessions.dropSilent((int) (config.workerTimeoutNs() / config.heartbeatNs()));
      desk.expire(now - config.partialUploadTtlNs());
    }
    locks.tick(now).forEach(this::hangUp);
    work += reaper.tick(durable, now);
    port.flush();
    return work;
  }

  /**
   * Sequences what can be, and for a lone intent waits for the disk if that is worthwhile.
   *
   * @param owesNothing whether all that is durable has been sent: it must not wait for the next
   */
  private int sequence(boolean owesNothing) {
    if (!hasBegun() || desk.pending() == 0 || log.mayWait()) {
      return 0;
    }
    boolean isLone = owesNothing && desk.hasLoneIntent();
    if (!directWrites.isWorthwhile(isLone) || !log.takeOver()) {
      return desk.sequence();
    }
    long begunNs = clock.monotonicNs();
    try {
      return desk.sequence();
    } finally {
      log.writeHere();
      directWrites.took(clock.monotonicNs() - begunNs);
    }
  }

  /** The random number of this run of the leader (hypersync.md 2). */
  public long epoch() {
    return epoch;
  }

  /** Who is connected; for status reports, on the agent's thread only. */
  public WorkerSessions sessions() {
    return sessions;
  }

  /**
   * Who is not connected any more, or was refused; for status reports, on the agent's thread only.
   */
  public AbsentWorkers absent() {
    return absent;
  }

  /** What workers have said; for status reports, on the agent's thread only. */
  public ReceivedMessages received() {
    return received;
  }

  /** The head of the log; for status reports, on the agent's thread only. */
  public Sequencer sequencer() {
    return sequencer;
  }

  /** Intents in progress; for status reports, on the agent's thread only. */
  public IntentDesk desk() {
    return desk;
  }

  /** What was beyond a quota; for status reports, on the agent's thread only. */
  public Refusals refusals() {
    return refusals;
  }

  /** The lock manager; for status reports, on the agent's thread only. */
  public LockDesk locks() {
    return locks;
  }

  /** Which nodes are open where; for status reports, on the agent's thread only. */
  public OpenLeases leases() {
    return leases;
  }

  /** Workers that doubt the log; for status reports, on the agent's thread only. */
  public RootClaims claims() {
    return claims;
  }

  /** Forgets orphans; for status reports, on the agent's thread only. */
  public Reaper reaper() {
    return reaper;
  }

  private void claimed(WorkerId worker, @Nullable ApplyError error, long nowNs) {
    Hash root = error == null ? null : error.root();
    if (error != null && root != null) {
      long bytes = sequencer.weight();
      claims.claimed(worker, error.logIndex(), root, log.durableIndex(), bytes, nowNs);
    }
  }

  /** What cannot be logged now, because the disk is full or slow, is tried again. */
  private boolean reap(List<NodeId> orphans) {
    return !log.mayWait() && desk.submitOwn(new FsOp.ReapOrphans(orphans)) == null;
  }

  /** Nothing is sequenced before the first entry, for which there may be no room just now. */
  private boolean hasBegun() {
    return sequencer.headIndex() > 0 || desk.submitOwn(Genesis.op()) == null;
  }

  private void hangUp(WorkerId worker) {
    WorkerSession session = sessions.of(worker);
    if (session != null) {
      sessions.close(session, null);
    }
  }

  private void sendTo(WorkerId worker, LeaderMessage message) {
    WorkerSession session = sessions.of(worker);
    if (session != null) {
      port.send(session.id(), message);
    }
  }
}

package io.hypersync.leader;

import io.hypersync.leader.certificates.Certificates;
import io.hypersync.leader.certificates.RevocationList;
import io.hypersync.leader.certificates.RevocationText;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.collection.CollectionSources;
import io.hypersync.leader.dataplane.ChunkFanout;
import io.hypersync.leader.dataplane.DataPlaneStatus;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.lease.OpenLeaseTable;
import io.hypersync.leader.lease.Reaper;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.lock.LockManager;
import io.hypersync.leader.notice.Notices;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.placement.Observation;
import io.hypersync.leader.placement.Scheduler;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.IntentWritePort;
import io.hypersync.leader.port.LogReadPort;
import io.hypersync.leader.port.LogTrimPort;
import io.hypersync.leader.port.RootAuditPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.presence.Presence;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.recovery.AuditFinding;
import io.hypersync.leader.recovery.DivergenceReports;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.WrongRootException;
import io.hypersync.leader.repair.ChunkRecovery;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.leader.restore.RestoreRun;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.retention.LogRetention;
import io.hypersync.leader.sequencer.CommitListener;
import io.hypersync.leader.sequencer.Genesis;
import io.hypersync.leader.sequencer.IntentBatch;
import io.hypersync.leader.sequencer.IntentHandler;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.leader.session.DisconnectedWorkers;
import io.hypersync.leader.session.DisconnectedWorkers.Absence;
import io.hypersync.leader.session.GatedSessionPort;
import io.hypersync.leader.session.HandshakeHandler;
import io.hypersync.leader.session.ReceivedMessages;
import io.hypersync.leader.session.TailCache;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.leader.syncstandby.SyncStandbys;
import io.hypersync.leader.visibility.VisibilityOptions;
import io.hypersync.leader.visibility.VisibleEverywhere;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.Agent;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.BarrierResponse;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's decision code: sessions, intents, log order, acknowledgements, locks and leases. It
 * has no thread of its own and is not thread-safe: every method is called by the thread that calls
 * {@link #doWork}, the leader's event loop.
 */
public final class LeaderAgent implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderAgent.class);

  /** A restore takes one part in so many of what all others may take. */
  private static final int RESTORE_SHARE = 8;

  /** How often old entries are looked for. */
  private static final long TRIM_INTERVAL_NS = 10_000_000_000L;

  /** With less room than this on the disk, dead chunks are collected whenever anything changes. */
  private static final long NEARLY_FULL_BYTES = 1L << 30;

  private final LeaderConfig config;
  private final long epoch;
  private final OpLog log;
  private final ChunkPort chunks;
  private final IntentWritePort intentWriter;
  private final LogTrimPort trimmer;
  private final SessionPort port;
  private final Clock clock;
  private final Sequencer sequencer;
  private final ChunkFanout fanout;
  private final WorkerSessions sessions;
  private final QuotaViolations violations;
  private final ReceivedMessages received = new ReceivedMessages();
  private final IntentHandler intentHandler;
  private final LockManager locks;
  private final HandshakeHandler handshakeHandler;
  private final ChunkRecovery recovery;
  private final OpenLeaseTable leases;
  private final Reaper reaper;
  private final Presence presence;
  private final Notices notices;
  private final Certificates certificates;
  private final VisibleEverywhere visibility;
  private SyncStandbys standbys;
  private final DisconnectedWorkers disconnected = new DisconnectedWorkers();
  private final Scheduler scheduler;
  private final DivergenceReports divergences;
  private final SnapshotManager snapshots;
  private final CollectionManager collections;
  private final CollectionSources needs;
  private final PastHolds pasts;
  private final StateRestores restores;
  private final LoneCommitPolicy loneCommits = new LoneCommitPolicy();

  private @Nullable RestoreRun restore;
  private Consumer<LogEntry> hazardous = _ -> {};
  private LeaderGate gate = LeaderGate.ALONE;
  private long freeBytes = LeaderMessage.Heartbeat.UNKNOWN;
  private long streamedThrough;

  /** As far as it was sent to standbys that are waited for. */
  private long mirroredThrough;

  private long nextHeartbeatNs;
  private long nextTrimNs;
  private boolean sessionsChanged;

  /**
   * Starts leading from a recovered state.
   *
   * @param entropy source of node ids, op ids, client id and leader epoch
   * @param snapshots decides when snapshots are taken, which this agent has done
   * @param collections decides when dead chunks are collected, which this agent has done
   * @param pasts the states of the past that workers may have mounted
   * @param restores the states that entries of the log restore
   * @param listener receives the timestamps of each committed intent
   * @param resumeKey signs the tokens by which workers take up their sessions again
   */
  public LeaderAgent(
      LeaderConfig config,
      LeaderState recovered,
      OpLog log,
      ChunkPort chunks,
      LogReadPort logReader,
      RootAuditPort auditor,
      SnapshotManager snapshots,
      CollectionManager collections,
      PastHolds.Start pasts,
      StateRestores.Start restores,
      IntentWritePort intentWriter,
      LogTrimPort trimmer,
      SessionPort port,
      Clock clock,
      Entropy entropy,
      CommitListener listener,
      ResumeKey resumeKey) {
    SessionPort gated = new GatedSessionPort(port, () -> gate.isLeader());
    this.config = config;
    this.snapshots = snapshots;
    this.collections = collections;
    this.pasts = new PastHolds(pasts, this::sendTo, clock.monotonicNs());
    this.restores = new StateRestores(restores, clock.monotonicNs());
    this.epoch = entropy.nextLong() >>> 1;
    this.log = log;
    this.chunks = chunks;
    this.intentWriter = intentWriter;
    this.trimmer = trimmer;
    this.port = gated;
    this.clock = clock;
    this.violations = new QuotaViolations(clock);
    this.sequencer = new Sequencer(recovered, log, clock, entropy, config.maxStateBytes());
    TailCache tail = new TailCache(recovered.index() + 1, config.tailCacheBytes());
    this.fanout =
        new ChunkFanout(
            config.dataPlane(), chunks, gated, recovered.index() + 1, clock.monotonicNs());
    this.sessions =
        new WorkerSessions(
            gated, logReader, tail, config.windowEntries(), new Pushes(), this::ending);
    ClientId self = new ClientId(entropy.nextLong(), entropy.nextLong());
    this.intentHandler =
        new IntentHandler(
            config,
            sequencer,
            log,
            chunks,
            tail,
            self,
            this::sendTo,
            this::sequenced,
            clock,
            listener,
            violations,
            (worker, lockSession) -> admits(worker, lockSession));
    intentHandler.promise(this::promisedToRestore);
    this.locks =
        new LockManager(
            config.lockTtlNs(),
            config.lockGraceNs(),
            entropy,
            log::durableIndex,
            sequencer::headIndex,
            this::sendTo,
            worker -> sessions.of(worker) != null,
            node -> isThere(node),
            worker -> hangUp(worker, "it must reconnect to send its lock requests again"),
            config.quotas(),
            violations,
            clock.monotonicNs());
    this.recovery =
        new ChunkRecovery(
            sessions,
            gated,
            (session, chunk) -> chunks.serve(session, List.of(chunk)),
            chunks::verify);
    this.standbys = SyncStandbys.none(log::durableIndex, clock);
    this.presence =
        new Presence(config.workspace(), config.presenceLeaseNs(), resumeKey, clock, entropy);
    this.notices = new Notices(clock, this::sendTo);
    this.certificates = new Certificates(clock);
    presence.events().follow(notices::happened);
    locks.tellLost(
        (worker, text) -> {
          var _ = notices.post(worker, Notice.Kind.LOCKS_LOST, text);
        });
    this.handshakeHandler =
        new HandshakeHandler(
            config,
            epoch,
            log,
            snapshots,
            sessions,
            gated,
            locks,
            collections::through,
            presence,
            notices);
    this.visibility =
        new VisibleEverywhere(
            gated::send,
            session -> hangUp(session, "it does not take up visibility = everywhere"),
            log::durableIndex,
            clock.monotonicNs());
    intentHandler.gateAnswers(visibility);
    handshakeHandler.beforeWelcome(visibility::announce);
    this.leases =
        new OpenLeaseTable(
            epoch,
            config.openLeaseTtlNs(),
            node -> sequencer.head().node(node),
            config.quotas().openLeases(),
            violations);
    this.reaper =
        new Reaper(
            config.openLeaseTtlNs(),
            leases,
            sequencer.orphans(),
            sessions,
            this::isBeingRestored,
            this::reap,
            clock.monotonicNs());
    this.needs =
        new CollectionSources(
            sequencer,
            snapshots,
            this.pasts,
            this.restores,
            intentHandler,
            sessions,
            handshakeHandler.holds(),
            leases,
            log,
            clock);
    this.divergences = new DivergenceReports(auditor);
    this.scheduler = new Scheduler(config.placement(), clock, entropy);
    this.streamedThrough = recovered.index();
    this.mirroredThrough = recovered.index();
    this.nextHeartbeatNs = clock.monotonicNs();
    this.nextTrimNs = nextHeartbeatNs + TRIM_INTERVAL_NS;
  }

  /** The same, of a worker that has come without a certificate: it is in this process. */
  public void sessionOpened(SessionId session, WorkerId worker, String address) {
    sessionOpened(session, worker, address, null);
  }

  /**
   * A connection was opened; the transport has verified the worker's certificate. If it was
   * revoked, the connection is refused. If the worker has too many connections without a Hello, the
   * oldest of them is closed.
   *
   * @param presented the certificate; null if there is none
   */
  public void sessionOpened(
      SessionId session, WorkerId worker, String address, @Nullable CertificateFacts presented) {
    if (!gate.isLeader()) {
      port.close(session, null);
      return;
    }
    Revocation revoked =
        presented == null ? null : certificates.connected(session, worker, presented);
    if (revoked != null) {
      sessions.opened(session, worker, address, clock.monotonicNs());
      refuse(session, revoked);
      return;
    }
    WorkerSession silent = sessions.oldestOfTooManySilent(worker, config.quotas().silentSessions());
    if (silent != null) {
      violations.add(Quota.SILENT_SESSIONS, worker);
      sessions.close(silent, "it sent no Hello");
    }
    sessions.opened(session, worker, address, clock.monotonicNs());
  }

  /**
   * A connection has ended. Unknown sessions are ignored.
   *
   * @param reason human-readable, for the log and status reports
   */
  public void sessionClosed(SessionId id, String reason) {
    WorkerSession session = sessions.get(id);
    if (session != null && session.isEstablished()) {
      left(session, reason);
    }
    sessions.closed(id);
    certificates.ended(id);
    fanout.ended(id);
    recovery.ended(id);
  }

  /**
   * Takes a longer list of revoked certificates, which is durable here: ends the connections that
   * use one, and tells standbys. A worker whose session is cut off so, or of which all certificates
   * are revoked, has left for good: its session, its locks and its open-leases end. What it has
   * sent before is done. A connection that has sent no Hello is nobody's session: the worker may
   * have another one, with a certificate that is good.
   *
   * @param last the row that is new
   * @return the workers whose connections were ended
   */
  public List<WorkerId> revoked(RevocationList longer, Revocation last) {
    List<WorkerId> cut = new ArrayList<>();
    certificates
        .revoked(longer)
        .forEach(
            (id, why) -> {
              WorkerSession session = sessions.get(id);
              if (session != null) {
                boolean hadSession = session.isEstablished();
                cut.add(session.worker());
                refuse(id, why);
                if (hadSession) {
                  dismiss(session.worker(), why);
                }
              }
            });
    if (last.isOfAll() && sessions.of(last.worker()) == null) {
      dismiss(last.worker(), last);
    }
    certificates.standbys().forEach(this::tellRevoked);
    port.flush();
    return cut;
  }

  private void refuse(SessionId id, Revocation revoked) {
    WorkerSession session = sessions.get(id);
    if (session != null) {
      sessions.refuse(
          session,
          new Refused(Reason.REVOKED, RevocationText.forWorker(session.worker(), revoked)));
    }
  }

  private void dismiss(WorkerId worker, Revocation why) {
    presence.dismissed(worker, RevocationText.plain(why));
    locks.dismissed(worker);
    leases.dismissed(worker);
  }

  private void tellRevoked(SessionId standby) {
    if (certificates.tellsStandby(standby)) {
      port.send(standby, new LeaderMessage.Revocations(certificates.revocations().all()));
    }
  }

  /** What is known of certificates; on the agent's thread only. */
  public Certificates certificates() {
    return certificates;
  }

  /**
   * Sets how many bytes the disk of the log and the chunks can still take; sent to workers with
   * every heartbeat.
   */
  public void freeBytes(long bytes) {
    freeBytes = bytes;
    collections.nearlyFull(bytes < NEARLY_FULL_BYTES);
  }

  /**
   * Sets which reservations are known from now on (hypersync.md 10.3).
   *
   * @param goodNs when their source was looked at last, on the monotonic clock; null if never
   */
  public void reservations(ReservationTable known, @Nullable Long goodNs) {
    sequencer.hazards().reservations(known);
    sequencer.enforcement().reservations(known, goodNs);
  }

  /** From now on a call of an agent gets EACCES where another one holds alone (10.3). */
  public void enforceReservations() {
    sequencer.enforcement().turnOn();
  }

  /**
   * From now on tells of each entry with hazards when it is logged, before it is durable.
   *
   * @param listener called on the agent's thread; must not block
   */
  public void tellHazards(Consumer<LogEntry> listener) {
    hazardous = listener;
  }

  /**
   * From now on acts only while this gate says that it leads: else it takes no connection and no
   * message, and {@link #doWork} does nothing, so nothing is logged, granted or begun. What its
   * helpers report is kept, and nothing is sent for it.
   */
  public void actBehind(LeaderGate leads) {
    gate = leads;
  }

  /** From the start on answers wait as these options say. Before the first connection. */
  public void beginVisibility(VisibilityOptions options) {
    visibility.begin(options, clock.monotonicNs());
  }

  /**
   * From the start on what is durable waits for these standbys: the log of this agent must be their
   * {@code SyncedLog}. Before the first connection.
   */
  public void waitFor(SyncStandbys waited) {
    standbys = waited;
    sessions.waitFor(waited);
    handshakeHandler.waitFor(waited);
    waited.tell(presence::standbyChanged);
  }

  /** The standbys that are waited for; on the agent's thread only. */
  public SyncStandbys standbys() {
    return standbys;
  }

  /** What of {@link LeaderTuning} is in force, as its parts have it; on the agent's thread only. */
  public LeaderTuning tuning() {
    return new LeaderTuning(
        intentHandler.rates().limits(),
        snapshots.policy(),
        collections.policy(),
        scheduler.limits(),
        visibility.mode());
  }

  /** Takes up what has changed; on the agent's thread only. */
  public void tune(LeaderTuning changed) {
    long nowNs = clock.monotonicNs();
    intentHandler.rates().limit(changed.rateLimits(), nowNs);
    snapshots.follow(changed.snapshots(), nowNs);
    collections.follow(changed.collections(), nowNs);
    scheduler.limit(changed.placement());
    visibility.turn(changed.visibility(), nowNs);
  }

  /** Which answers wait for what other workers show; on the agent's thread only. */
  public VisibleEverywhere visibility() {
    return visibility;
  }

  /** Sets of which lineage the state is that this leads, and in which term. */
  public void lineage(Lineage known, Term led) {
    handshakeHandler.lineage(known, led);
  }

  /** The term in which this leads; for status reports, on the agent's thread only. */
  public Term term() {
    return handshakeHandler.term();
  }

  private final class Pushes implements WorkerSessions.Pushes {
    @Override
    public boolean hasRoom(WorkerSession session) {
      return fanout.hasRoom(session.id());
    }

    @Override
    public long oneMessage(WorkerSession session, long from, long through) {
      return fanout.oneMessage(session.id(), session.worker(), from, through);
    }

    @Override
    public ChunkDelivery push(WorkerSession session, long from, long through) {
      return fanout.push(session.id(), session.worker(), from, through, clock.monotonicNs());
    }
  }

  private void sequenced(WorkerId writer, LogEntry entry) {
    sessions.sequenced(writer, entry);
    if (entry.inlinePayload().length == 0) {
      fanout.sequenced(entry.index(), writer, entry.op().chunks());
    }
    if (HazardReport.hasHazards(entry.hazard())) {
      hazardous.accept(entry);
    }
  }

  /** How chunks go to workers; for status reports, on the agent's thread only. */
  public ChunkFanout fanout() {
    return fanout;
  }

  private void ending(
      WorkerSession session, LeaderMessage.@Nullable Refused lastWord, String reason) {
    if (lastWord == null || lastWord.reason() == Reason.SESSION_REPLACED) {
      if (session.isEstablished()) {
        left(session, "the leader ended the connection: " + reason);
      }
      return;
    }
    if (session.isEstablished()) { // it needs entries that have been trimmed, for instance
      gone(session, lastWord.message());
    }
    Absence absence =
        disconnected.add(
            session.worker(),
            DisconnectedWorkers.Kind.of(lastWord.reason()),
            session.address(),
            lastWord.message(),
            session.appliedIndex(),
            clock.monotonicNs());
    if (absence.times() == 1) {
      LOG.warn(
          LogEvent.WORKER_REFUSED.marker(),
          "worker {} from {} is refused: {}; further attempts are not logged",
          session.worker(),
          session.address(),
          absence.reason());
    }
  }

  private void left(WorkerSession session, String reason) {
    LOG.info(
        LogEvent.WORKER_LEFT.marker().with("worker", session.worker()),
        "worker {} left ({}): {}",
        session.worker(),
        session.id(),
        reason);
    gone(session, reason);
    var _ =
        disconnected.add(
            session.worker(),
            DisconnectedWorkers.Kind.LEFT,
            session.address(),
            reason,
            session.appliedIndex(),
            clock.monotonicNs());
  }

  /** Whatever ends an established session. */
  private void gone(WorkerSession session, String reason) {
    standbys.ended(session.id());
    visibility.ended(session.id());
    presence.offline(session.worker(), reason);
    pasts.left(session.worker(), clock.monotonicNs());
    scheduler.left(session.worker());
  }

  private Observation observation(WorkerSession session, WorkerApplied report, long nowNs) {
    DataPlaneStatus path = fanout.status(session.id());
    return new Observation(
        report.pressure(),
        session.lagNs(nowNs),
        path == null ? 0 : path.rttNs(),
        path == null ? 0 : path.backlogBytes(),
        hindrance(session, report));
  }

  private static Optional<String> hindrance(WorkerSession session, WorkerApplied report) {
    if (report.applyError() != null) {
      return Optional.of("it cannot apply entry " + report.applyError().logIndex());
    }
    if (report.isStandby()) {
      return Optional.of("it is a standby, and mounts nothing");
    }
    if (session.isInstalling()) {
      return Optional.of("it installs a snapshot");
    }
    return report.readOnly() ? Optional.of("its mount is read-only") : Optional.empty();
  }

  private void established(WorkerSession session) {
    recovery.established();
    LOG.info(
        LogEvent.WORKER_JOINED.marker().with("worker", session.worker()),
        "worker {} joined from {} at entry {} ({})",
        session.worker(),
        session.address(),
        session.appliedIndex(),
        session.id());
    disconnected.established(session.worker());
    leases.established(session.worker());
  }

  /**
   * Handles a message. Messages of unknown sessions are ignored; any message before an accepted
   * Hello ends the session.
   */
  public void received(SessionId id, WorkerMessage message) {
    WorkerSession session = sessions.get(id);
    if (session == null || !gate.isLeader()) {
      return;
    }
    long now = clock.monotonicNs();
    session.heard(now);
    received.add(message);
    if (message instanceof WorkerMessage.Hello hello) {
      handshakeHandler.hello(session, hello, now);
      if (session.isEstablished()) {
        established(session);
        if (session.isSyncStandby()) {
          standbys.established(session.id(), session.worker());
        }
        fanout.established(session.id(), hello.features(), now);
        visibility.established(session.id(), session.worker(), hello.run());
        pasts.established(session.worker(), hello.run(), now);
        intentHandler.established(session.worker(), hello.run(), hello.leaderEpochSeen().isEmpty());
      }
      sessionsChanged = true;
      return;
    }
    if (!session.isEstablished()) {
      handshakeHandler.refuseBeforeHello(session);
      return;
    }
    switch (message) {
      case WorkerMessage.Hello _ -> throw new AssertionError("handled above");
      case WorkerMessage.SubmitIntent submit -> {
        session.submitted(submit);
        intentHandler.submit(session.worker(), submit, now);
      }
      case WorkerMessage.IntentStatusRequest(IntentId intent) ->
          intentHandler.status(session.worker(), intent, now);
      case WorkerMessage.BarrierRequest(long requestId) ->
          port.send(id, new BarrierResponse(requestId, log.durableIndex()));
      case WorkerMessage.WorkerApplied applied -> {
        String lie =
            standbys.reported(
                id, applied.syncedIndex(), applied.visibleIndex(), session.sentThrough());
        if (lie != null) {
          hangUp(id, lie);
          return;
        }
        session.reported(
            applied, session.isSyncStandby() ? standbys.ownDurable() : log.durableIndex(), now);
        fanout.applied(id, applied.visibleIndex(), now);
        scheduler.observed(session.worker(), observation(session, applied, now));
        if (!pasts.isAwaited(session.worker())) { // it may be the snapshot that it installs
          handshakeHandler.holds().reported(session.worker(), applied.visibleIndex());
        }
        if (applied.isStandby()) {
          tellRevoked(id);
        }
        sessionsChanged = true;
        if (intentHandler.reported(session.worker(), applied.visibleIndex())) {
          hangUp(session.worker(), "it must reconnect to ask again what became of its intents");
        }
        claimed(session.worker(), applied.applyError(), now);
        if (handshakeHandler.movesToSnapshot(session, now)) {
          hangUp(session.worker(), "it is too far behind to follow: it gets a snapshot");
        }
      }
      case WorkerMessage.WorkerVisible visible -> visibility.reported(id, visible, now);
      case WorkerMessage.LockRequest request -> locks.request(session.worker(), request);
      case WorkerMessage.LockRelease release -> locks.release(session.worker(), release);
      case WorkerMessage.LockCancel cancel -> locks.cancel(session.worker(), cancel);
      case WorkerMessage.LockRenew renew -> locks.renew(session.worker(), renew);
      case WorkerMessage.OpenLeaseAcquire acquire -> leases.acquire(session.worker(), acquire);
      case WorkerMessage.OpenLeaseRelease release -> leases.release(session.worker(), release);
      case WorkerMessage.OpenLeaseRenew renew -> leases.renew(session.worker(), renew);
      case WorkerMessage.ChunkPut put -> {
        if (intentHandler.takesChunk(session.worker(), put, now)) {
          fanout.uploaded(put.hash());
          chunks.ingest(id, put);
        }
      }
      case WorkerMessage.DecodeProgress progress -> fanout.progress(id, progress, now);
      case WorkerMessage.MulticastHeard heard -> fanout.heard(id, heard, now);
      case WorkerMessage.ChunkFetch(var wanted) -> {
        fanout.asked(id, wanted);
        chunks.serve(id, wanted);
      }
      case WorkerMessage.ChunkCopy copy -> {
        if (recovery.copyArrived(id, copy.hash(), clock.monotonicNs())) {
          chunks.ingest(id, copy);
        }
      }
      case WorkerMessage.ChunkAbsent(var absent) ->
          absent.forEach(hash -> recovery.absent(id, hash, clock.monotonicNs()));
      case WorkerMessage.PastStateRequest request -> pasts.requested(session.worker(), request);
      case WorkerMessage.RevocationsKept(int count) -> {
        if (!certificates.kept(id, count)) {
          hangUp(id, "it has more revocations than it was told of");
        }
      }
      case WorkerMessage.PastStateRelease(long index) -> pasts.released(session.worker(), index);
    }
  }

  /**
   * A chunk is in the store and its bytes have just been verified, whether a worker sent it or it
   * was stored earlier.
   */
  public void chunkStored(Hash hash, int length) {
    intentHandler.chunkArrived(hash, length);
    recovery.stored(hash);
  }

  /** A chunk that the store lists cannot be read, or its bytes no longer match its hash. */
  public void chunkUnreadable(Hash hash) {
    intentHandler.chunkUnreadable(hash);
    recovery.lost(hash, "it cannot be read", clock.monotonicNs());
  }

  private boolean admits(WorkerId worker, long lockSession) {
    return locks.admits(worker, lockSession);
  }

  /** Whether the newest state has a node; of one that cannot be read nobody knows. */
  private boolean isThere(NodeId id) {
    try {
      return sequencer.head().node(id) != null;
    } catch (PageUnreadableException e) {
      return true;
    }
  }

  /** A page that a state needs cannot be read: workers are asked for it. */
  public void pageUnreadable(PageUnreadableException page) {
    recovery.lost(page.page(), String.valueOf(page.getMessage()), clock.monotonicNs());
  }

  /**
   * A worker has asked for a chunk that the store does not have, or not intact: other workers are
   * asked for it.
   *
   * @param errno why the store cannot read it; ENOENT if it does not have it
   * @param why the same in words
   */
  public void chunkMissing(SessionId id, ChunkRef chunk, Errno errno, String why) {
    if (errno != Errno.ENOENT) {
      intentHandler.chunkUnreadable(chunk.hash());
    }
    recovery.wanted(id, chunk, why, clock.monotonicNs());
  }

  /** A copy of a lost chunk does not match its hash, or cannot be stored. */
  public void copyRefused(ChunkCopy copy, Errno errno) {
    if (errno == Errno.ENOSPC || errno == Errno.EAGAIN) {
      recovery.noRoom(copy.hash(), copy.bytes());
    } else {
      recovery.damaged(copy.hash(), clock.monotonicNs());
    }
  }

  /** Gets lost chunks back from workers; for status reports, on the agent's thread only. */
  public ChunkRecovery recovery() {
    return recovery;
  }

  /**
   * A chunk that a worker sent does not match its hash, or cannot be stored.
   *
   * @param errno the answer to the intent
   */
  public void chunkRefused(SessionId id, IntentId intent, Errno errno) {
    WorkerSession session = sessions.get(id);
    if (session != null) {
      intentHandler.chunkRefused(session.worker(), intent, errno);
    }
  }

  /**
   * Takes the finding of the {@link RootAuditPort}.
   *
   * @throws WrongRootException if the log is wrong; this ends the leader
   */
  public void audited(AuditFinding finding) {
    divergences.audited(finding, clock.monotonicNs());
  }

  /** Takes entries that the {@link LogReadPort} has read. */
  public void logRead(SessionId session, long fromIndex, List<byte[]> entries) {
    sessions.logRead(session, fromIndex, entries, log.durableIndex());
    sessionsChanged = true;
  }

  /**
   * The {@link LogReadPort} cannot read what it was asked for: the log begins behind {@code
   * fromIndex} by now.
   */
  public void logTrimmed(SessionId session, long fromIndex) {
    sessions.logTrimmed(session, fromIndex, log.firstIndex());
    sessionsChanged = true;
  }

  /** The log stream of a session can take more data again. */
  public void writable() {
    sessionsChanged = true;
  }

  /**
   * One turn of the event loop. In this order: sends the acks whose entries have become durable,
   * and, if {@code visibility} is everywhere, visible; sequences what can be sequenced, which may
   * block on the disk ({@link LoneCommitPolicy}), and some steps of a restore, or all of one that
   * is one entry; sends durable entries to all workers, and to each worker its own entries before
   * they are durable; sends heartbeats when due; expires locks; reaps orphans; has dead chunks
   * collected and a snapshot taken.
   */
  @Override
  public int doWork() {
    if (!gate.isLeader()) {
      return 0;
    }
    int waited = standbys.tick(clock.monotonicNs()) ? 1 : 0;
    long durable = log.durableIndex();
    int work = visibility.isOn() && visibility.tick(clock.monotonicNs()) ? 1 : 0;
    // Acks first: the first message queued gets the first packets, and a call waits for each ack.
    work += intentHandler.release(durable);
    if (work > 0 && intentHandler.pending() > 0) {
      // Sequencing a backlog may take a while, so flush the acks now. While packets are being read,
      // the transport delays even this flush.
      port.flush();
    }
    int sequenced = sequence(work == 0 && durable == streamedThrough);
    if (sequenced > 0) {
      durable = log.durableIndex();
      // Acks of what was written here, and refusals that rest on durable entries only.
      work += sequenced + intentHandler.release(durable);
    }
    if (restore != null) {
      work += restore.tick();
    }
    work += restores.tick(new WholeRestore(), clock.monotonicNs()) ? 1 : 0;
    long own = standbys.ownDurable();
    if (sequenced > 0
        || durable > streamedThrough
        || own > mirroredThrough
        || sessionsChanged
        || fanout.hasRoomAgain()) {
      sessionsChanged = false;
      streamedThrough = durable;
      mirroredThrough = own;
      work += sessions.stream(durable);
    }
    long now = clock.monotonicNs();
    visibility.waits(intentHandler.oldest(durable), now);
    if (now >= nextHeartbeatNs) {
      nextHeartbeatNs = now + config.heartbeatNs();
      sessions.heartbeat(epoch, durable, freeBytes);
      sessions.dropSilent((int) (config.workerTimeoutNs() / config.heartbeatNs()));
      intentHandler.expire(now - config.partialUploadTtlNs());
    }
    handshakeHandler.holds().expire(now).forEach(this::endInstall);
    fanout.tick(now);
    recovery.tick(now);
    locks.tick(now).forEach(worker -> hangUp(worker, "its lock session has expired"));
    presence
        .tick(now)
        .forEach(
            renewal -> sendTo(renewal.worker(), new LeaderMessage.SessionRenewed(renewal.token())));
    if (!standbys.holdsStart()) { // no worker can say what is open meanwhile
      work += reaper.tick(durable, now);
    }
    pasts.tick(now);
    work += collections.tick(needs, now) ? 1 : 0;
    work += snapshots.tick(sequencer, durable, now) ? 1 : 0;
    port.flush();
    if (sequencer.intents().isDue(durable)) {
      persistIntents();
    }
    if (now >= nextTrimNs) {
      nextTrimNs = now + TRIM_INTERVAL_NS;
      trimLog(durable);
    }
    return work + waited;
  }

  /** Has the log trimmed as far as nobody needs it (hypersync.md 14.1). */
  private void trimLog(long durable) {
    if (sequencer.intents().through() < snapshots.previousIndex()) {
      persistIntents(); // for the next time
    }
    trimmer.trim(
        durable,
        sequencer.lastTimeNs(),
        new LogRetention.Needs(trimmableThrough(), sessions.appliedByAll(durable)));
  }

  /**
   * Has the intents of all durable entries stored, unless a batch is being written. Done now and
   * then anyway.
   */
  public void persistIntents() {
    IntentBatch batch = sequencer.intents().take(log.durableIndex());
    if (batch != null) {
      intentWriter.write(batch);
    }
  }

  /**
   * The last entry that may be trimmed (hypersync.md 14.1); lower than the log's first one if none
   * may. The leader itself must be able to start: from its newest snapshot, or from the one before
   * if that has been damaged meanwhile, and with all intents of the entries that are gone. And a
   * worker that has installed a snapshot must find what comes behind it.
   */
  public long trimmableThrough() {
    return Math.min(
        Math.min(snapshots.previousIndex(), sequencer.intents().through()),
        snapshots.lowestHeld(0));
  }

  /** The {@link IntentWritePort} has written a batch. */
  public void intentsWritten(IntentBatch batch) {
    sequencer.intents().written(batch);
  }

  /**
   * Sequences what can be sequenced; waits for the disk if a lone intent makes that worthwhile.
   *
   * @param owesNothing whether everything durable has been sent: if not, that must not wait for the
   *     next write
   * @return how many intents were sequenced or refused
   */
  private int sequence(boolean owesNothing) {
    if (!hasBegun() || intentHandler.pending() == 0 || log.mayWait()) {
      return 0;
    }
    boolean isLone = owesNothing && intentHandler.hasLoneIntent();
    LoneCommit commit = loneCommits.isWorthwhile(isLone) ? log.tryLoneCommit() : null;
    if (commit == null) {
      return intentHandler.sequence();
    }
    long begunNs = clock.monotonicNs();
    try (commit) {
      return intentHandler.sequence();
    } finally { // after the commit is closed
      loneCommits.took(clock.monotonicNs() - begunNs);
    }
  }

  /** The random number that names this run of the leader (hypersync.md 2). */
  public long epoch() {
    return epoch;
  }

  /** Connected workers; for status reports, on the agent's thread only. */
  public WorkerSessions sessions() {
    return sessions;
  }

  /**
   * Workers that have disconnected or were refused; for status reports, on the agent's thread only.
   */
  public DisconnectedWorkers disconnected() {
    return disconnected;
  }

  /** Which workers are there; for status reports and requests, on the agent's thread only. */
  public Presence presence() {
    return presence;
  }

  /** What workers are told that no entry tells. */
  public Notices notices() {
    return notices;
  }

  /** Places agents on workers; for requests and status reports, on the agent's thread only. */
  public Scheduler scheduler() {
    return scheduler;
  }

  /** Messages received so far; for status reports, on the agent's thread only. */
  public ReceivedMessages received() {
    return received;
  }

  /** The sequencer and S_head; for status reports, on the agent's thread only. */
  public Sequencer sequencer() {
    return sequencer;
  }

  /** Intents in progress; for status reports, on the agent's thread only. */
  public IntentHandler intentHandler() {
    return intentHandler;
  }

  /** Requests refused for exceeding a quota; for status reports, on the agent's thread only. */
  public QuotaViolations violations() {
    return violations;
  }

  /** The lock manager; for status reports, on the agent's thread only. */
  public LockManager locks() {
    return locks;
  }

  /** The open-leases of all workers; for status reports, on the agent's thread only. */
  public OpenLeaseTable leases() {
    return leases;
  }

  /** Workers' claims about Merkle roots; for status reports, on the agent's thread only. */
  public DivergenceReports divergences() {
    return divergences;
  }

  /** The snapshots; for status reports and requests, on the agent's thread only. */
  public SnapshotManager snapshots() {
    return snapshots;
  }

  /** The collections; for status reports and requests, on the agent's thread only. */
  public CollectionManager collections() {
    return collections;
  }

  /** What workers have mounted of the past; for answers and reports, on the agent's thread only. */
  public PastHolds pasts() {
    return pasts;
  }

  /**
   * What entries restore; for answers and reports, and for who restores a state. On the agent's
   * thread only.
   */
  public StateRestores restores() {
    return restores;
  }

  /**
   * A state is stored that is to be restored by one entry; what {@link StateRestores#begin} has
   * begun.
   *
   * @param asker gets the answer, on the agent's thread
   */
  public void restoreState(Snapshot state, Consumer<StateRestores.Answer> asker) {
    restores.stored(state, new WholeRestore(), asker, clock.monotonicNs());
  }

  /** The reaper of orphans; for status reports, on the agent's thread only. */
  public Reaper reaper() {
    return reaper;
  }

  private void claimed(WorkerId worker, @Nullable ApplyError error, long nowNs) {
    Hash root = error == null ? null : error.root();
    if (error != null && root != null) {
      long bytes = sequencer.weight();
      divergences.claimed(worker, error.logIndex(), root, log.durableIndex(), bytes, nowNs);
    }
  }

  /**
   * Logs a {@code ReapOrphans}; false if the disk is full or slow, then the reaper tries again
   * later.
   */
  private boolean reap(List<NodeId> orphans) {
    return !log.mayWait() && intentHandler.submitOwn(new FsOp.ReapOrphans(orphans)) == null;
  }

  private void promisedToRestore(Consumer<Hash> chunk) {
    if (restore != null) {
      restore.promised(chunk);
    }
  }

  private boolean isBeingRestored(NodeId node) {
    return restore != null && restore.needs(node);
  }

  /**
   * Begins a restore. There is one at a time: it ends one that was given up.
   *
   * @param planned the newest state when it was planned
   * @param author whose its entries are: an agent's name, or the empty one
   */
  public RestoreRun beginRestore(FsState planned, String author) {
    RestoreRun run = new RestoreRun(planned, new RestoreTarget(author));
    restore = run;
    return run;
  }

  /** Ends a restore, unless another one has begun: what it has not done yet is not done. */
  public void endRestore(RestoreRun run) {
    if (run.equals(restore)) {
      restore = null;
    }
  }

  private final class RestoreTarget implements RestoreRun.Leader {
    private final String author;

    RestoreTarget(String author) {
      this.author = author;
    }

    @Override
    public FsState head() {
      return sequencer.head();
    }

    /**
     * As for intents, of which most of what may be on its way to the disk is, so that a restore
     * does not keep them waiting. And workers follow: what they have not applied yet is as little.
     */
    @Override
    public boolean takesMore() {
      long durable = log.durableIndex();
      long most = Math.max(1, config.maxUnsyncedEntries() / RESTORE_SHARE);
      long lag = Math.max(1, config.windowEntries() / RESTORE_SHARE);
      return hasBegun()
          && !log.mayWait()
          && sequencer.headIndex() - durable < most
          && durable - sessions.appliedByAll(durable) < lag;
    }

    @Override
    public @Nullable Errno lacking(FsOp op) {
      return intentHandler.lacking(op);
    }

    @Override
    public Sequencer.Result sequence(FsOp op) {
      return intentHandler.sequenceOwn(op, author);
    }
  }

  private final class WholeRestore implements StateRestores.Leader {
    @Override
    public long headIndex() {
      return sequencer.headIndex();
    }

    @Override
    public long durableIndex() {
      return log.durableIndex();
    }

    @Override
    public long firstIndex() {
      return log.firstIndex();
    }

    @Override
    public boolean takesEntry() {
      return gate.isLeader() && hasBegun() && !log.mayWait();
    }

    @Override
    public boolean knowsWhatIsOpen() {
      return reaper.knowsWhatIsOpen();
    }

    @Override
    public long unknownNs() {
      return config.openLeaseTtlNs();
    }

    @Override
    public List<NodeId> lost(byte[] manifest) throws DecodeException {
      return sequencer.lostBy(manifest, leases.held());
    }

    @Override
    public Sequencer.Result sequence(FsOp op) {
      return intentHandler.sequenceOwn(op);
    }

    @Override
    public void snapshotSoon() {
      snapshots.soon(clock.monotonicNs());
    }

    @Override
    public long snapshotIndex() {
      return snapshots.baseIndex();
    }
  }

  /**
   * Whether the log has its genesis entry, which is logged now if it is missing. Nothing is
   * sequenced before it, and the log may have no room for it yet.
   */
  private boolean hasBegun() {
    return sequencer.headIndex() > 0 || intentHandler.submitOwn(Genesis.op()) == null;
  }

  /** The session may be a newer one that installs nothing. */
  private void endInstall(WorkerId worker) {
    WorkerSession session = sessions.of(worker);
    if (session != null && session.isInstalling()) {
      sessions.close(session, "it takes too long to install a snapshot");
    }
  }

  private void hangUp(SessionId id, String reason) {
    WorkerSession session = sessions.get(id);
    if (session != null) {
      sessions.close(session, reason);
    }
  }

  private void hangUp(WorkerId worker, String reason) {
    WorkerSession session = sessions.of(worker);
    if (session != null) {
      sessions.close(session, reason);
    }
  }

  private void sendTo(WorkerId worker, LeaderMessage message) {
    WorkerSession session = sessions.of(worker);
    if (session != null) {
      port.send(session.id(), message);
    }
  }
}

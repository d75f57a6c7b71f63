package io.hypersync.leader.session;

import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.lineage.DeposedException;
import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.OldStateException;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.lock.LockManager;
import io.hypersync.leader.notice.Notices;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.presence.Presence;
import io.hypersync.leader.syncstandby.SyncStandbys;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.transport.SessionId;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles Hello: admits a worker if protocol, workspace and identity match and its state is S_k of
 * this leader's log for a durable k. The root of S_k is in the log or, if entry k was trimmed, in a
 * snapshot of that entry. A worker gets a newer snapshot instead of entries (hypersync.md 13.2) if
 * the log does not hold what comes behind k any more, or nothing here knows the root of S_k: what
 * it has then is of no use, right or wrong. So does one that has just started and is very far
 * behind. A Hello with the token of a session takes that session up, also from a connection that
 * still seems to be alive. On the agent's thread.
 */
public final class HandshakeHandler {
  private static final long TAKEOVER_AFTER_NS = 1_000_000_000L;
  private static final long NS_PER_MS = 1_000_000;

  private final LeaderConfig config;
  private final long epoch;
  private final OpLog log;
  private final SnapshotManager snapshots;
  private final WorkerSessions sessions;
  private final SessionPort port;
  private final LockManager locks;
  private final SnapshotHolds holds;
  private final LaggingWorkers lagging;
  private Lineage lineage = Lineage.FIRST;
  private Consumer<SessionId> beforeWelcome = _ -> {};
  private Term term = Term.FIRST;

  /** Null if nobody is waited for. */
  private @Nullable SyncStandbys standbys;

  private final LongSupplier collectedThrough;
  private final Presence presence;
  private final Notices notices;
  private final Hash genesisRoot = FsState.genesis().root();

  /**
   * A handshake handler for one run of the leader.
   *
   * @param snapshots know the roots of some entries that the log does not hold any more
   * @param collectedThrough see {@link Welcome}
   * @param presence the sessions that outlive connections
   * @param notices what waits in them
   */
  public HandshakeHandler(
      LeaderConfig config,
      long epoch,
      OpLog log,
      SnapshotManager snapshots,
      WorkerSessions sessions,
      SessionPort port,
      LockManager locks,
      LongSupplier collectedThrough,
      Presence presence,
      Notices notices) {
    this.config = config;
    this.epoch = epoch;
    this.log = log;
    this.snapshots = snapshots;
    this.sessions = sessions;
    this.port = port;
    this.locks = locks;
    this.collectedThrough = collectedThrough;
    this.presence = presence;
    this.notices = notices;
    this.lagging = new LaggingWorkers(config.catchUp());
    this.holds = new SnapshotHolds(snapshots, config.catchUp().installNs());
  }

  /** The snapshots that workers install. */
  public SnapshotHolds holds() {
    return holds;
  }

  /**
   * Answers a Hello with Refused, with Welcome, or with Welcome and SnapshotOffer. A Welcome closes
   * an older session of the same worker.
   *
   * @throws DeposedException if the worker has seen a leader of a higher term
   * @throws OldStateException if the worker has seen a state that this leader does not have; both
   *     end the leader
   */
  public void hello(WorkerSession session, Hello hello, long nowNs) {
    Refused refused = check(session, hello);
    if (refused != null) {
      sessions.refuse(session, refused);
      return;
    }
    String deposed = deposed(hello.seen());
    if (deposed != null) {
      sessions.refuse(session, new Refused(Reason.PROTOCOL_ERROR, "this worker " + deposed));
      if (hello.seen().term() >= Term.MAX) {
        return; // no leader gets that far, so nobody has seen it
      }
      throw new DeposedException(
          "worker " + session.worker() + " " + deposed,
          new Deposition(lineage.id(), hello.seen().term(), session.worker()));
    }
    boolean isSyncStandby =
        standbys != null && standbys.isStandby(session.worker(), hello.features());
    long durable = isSyncStandby ? ownDurable() : log.durableIndex();
    String lacking = lacking(hello.seen(), durable);
    if (lacking != null && hello.features().has(Feature.SYNC_STANDBY)) {
      // What a standby has beyond this leader was never shown to anybody by it.
      sessions.refuse(session, new Refused(Reason.DIVERGED, "this standby " + lacking));
      return;
    }
    if (lacking != null) {
      // Not DIVERGED: the worker is right, and is to keep its state for a leader that has it.
      sessions.refuse(session, new Refused(Reason.PROTOCOL_ERROR, "this worker " + lacking));
      throw new OldStateException("worker " + session.worker() + " " + lacking);
    }
    if (standbys != null && standbys.holdsStart() && !isSyncStandby) {
      // Behind the two questions above: a worker that knows better ends this leader also then.
      sessions.refuse(
          session,
          new Refused(
              Reason.PROTOCOL_ERROR,
              "a standby that was synchronous is not back yet (./hypersync status)"));
      return;
    }
    OptionalLong resumes = presence.resumes(session.worker(), hello.resumeToken());
    WorkerSession older = sessions.of(session.worker());
    if (older != null && resumes.isEmpty() && nowNs - older.lastHeardNs() < TAKEOVER_AFTER_NS) {
      sessions.refuse(session, isConnected(older));
      return;
    }
    long applied = hello.appliedIndex();
    if (applied > durable) {
      sessions.refuse(session, isAhead(applied, durable));
      return;
    }
    Hash root = applied == 0 ? genesisRoot : rootAt(applied);
    if (root != null && !hello.appliedRoot().equals(root)) {
      sessions.refuse(session, otherRoot(hello, root));
      return;
    }
    long first = log.firstIndex();
    boolean goesOn = root != null && applied + 1 >= first;
    SnapshotOffer offer = goesOn && !isFarBehind(hello, nowNs) ? null : offer(applied, first);
    if (!goesOn && offer == null) {
      sessions.refuse(session, TrimmedLog.refusal(root == null ? applied : applied + 1, first));
      return;
    }
    if (older != null) {
      takeOver(older, session, resumes.isPresent());
    }
    if (isSyncStandby) {
      session.becomesSyncStandby();
    }
    if (offer == null) {
      sessions.establish(session, applied);
      holds.goesOn(session.worker(), durable);
    } else {
      sessions.establishWithOffer(session, applied);
      holds.offered(session.worker(), offer.index(), nowNs);
    }
    welcome(session, hello, resumes, durable);
    if (offer != null) {
      port.send(session.id(), offer);
    }
    locks.resumed(session.worker());
    notices.welcomed(session.worker(), resumes.isPresent() ? hello.noticesSeen() : 0);
  }

  /**
   * Whether a worker should not replay so much: one that has just started, or is mounted and much
   * further behind.
   */
  private boolean isFarBehind(Hello hello, long nowNs) {
    long lag = log.durableIndex() - hello.appliedIndex();
    if (hello.leaderEpochSeen().isEmpty()) {
      return lag > config.catchUp().logEntries();
    }
    return bringsOn(hello.appliedIndex()) && lagging.isMoved(hello.worker(), lag, nowNs);
  }

  /** Whether the newest snapshot has much of what a worker lacks. */
  private boolean bringsOn(long applied) {
    SnapshotOffer offer = offer(applied, log.firstIndex());
    return offer != null
        && LaggingWorkers.isWorthIt(
            log.durableIndex() - applied, log.durableIndex() - offer.index());
  }

  /**
   * Whether a connected worker follows so slowly that a snapshot is better for it; it is to be hung
   * up then, and is offered one when it comes back (12.4).
   */
  public boolean movesToSnapshot(WorkerSession session, long nowNs) {
    boolean isMoved =
        lagging.isTooSlow(session, log.durableIndex(), nowNs) && bringsOn(session.visibleIndex());
    if (isMoved) {
      lagging.hungUp(session.worker(), nowNs);
    }
    return isMoved;
  }

  /**
   * The newest snapshot, if it is of use: newer than what the worker has, and the log has what
   * comes behind it.
   */
  private @Nullable SnapshotOffer offer(long applied, long first) {
    Snapshot newest = snapshots.newest();
    if (newest == null
        || newest.index() <= applied
        || newest.index() + 1 < first
        || newest.index() > log.durableIndex()
        || newest.manifest().length > Protocol.MAX_MANIFEST_BYTES
        || snapshots.distrusted() != null) {
      return null;
    }
    Hash root = rootOfSnapshot(newest.index());
    return root == null ? null : new SnapshotOffer(newest.index(), root, newest.manifest());
  }

  /** Ends a connection whose session another one takes up, or which is not heard any more. */
  private void takeOver(WorkerSession older, WorkerSession session, boolean resumed) {
    if (resumed) {
      presence.replaces(session.worker(), session.address());
      sessions.refuse(
          older,
          new Refused(
              Reason.SESSION_REPLACED,
              "session_replaced: worker "
                  + session.worker()
                  + " has taken up its session from "
                  + session.address()));
    } else {
      sessions.close(older, "it has a newer connection");
    }
  }

  private void welcome(WorkerSession session, Hello hello, OptionalLong resumes, long commitIndex) {
    beforeWelcome.accept(session.id());
    Features both = config.params().features().and(hello.features());
    if (!session.isSyncStandby()) {
      both = both.without(Feature.SYNC_STANDBY);
    }
    if (both.has(Feature.KEPT_PAYLOADS)) {
      session.keepsPayloads();
    }
    port.send(
        session.id(),
        new Welcome(
            config.workspace(),
            epoch,
            commitIndex,
            (int) (config.heartbeatNs() / NS_PER_MS),
            config.params().with(both),
            locks.established(session.worker(), hello.run()),
            (int) (config.openLeaseTtlNs() / NS_PER_MS),
            Protocol.REVISION,
            collectedThrough.getAsLong(),
            presence.arrived(session.worker(), hello.run(), session.address(), resumes),
            lineage.id(),
            term.number()));
  }

  /** Sets what is done with each connection before its Welcome is sent. */
  public void beforeWelcome(Consumer<SessionId> told) {
    beforeWelcome = told;
  }

  /** Sets which standbys are waited for: what is durable here they may have already. */
  public void waitFor(SyncStandbys waited) {
    standbys = waited;
  }

  private long ownDurable() {
    return standbys == null ? log.durableIndex() : standbys.ownDurable();
  }

  /** Sets of which lineage the leader's state is, and in which term it leads. */
  public void lineage(Lineage known, Term led) {
    lineage = known;
    term = led;
  }

  /** The term in which it leads. */
  public Term term() {
    return term;
  }

  /**
   * That another leader has followed this one, which has not known it; null if nobody has. What
   * this one has acknowledged since the takeover is not in the other one's log. Terms are of one
   * lineage: a rewind gives up the terms that were seen before, too.
   */
  private @Nullable String deposed(SeenState seen) {
    return seen.lineage() == lineage.id() && seen.term() > term.number()
        ? "has seen a leader of term " + seen.term() + ", this one has term " + term.number()
        : null;
  }

  /**
   * Why this state is older than what a worker has seen, or another one; null if it is not. What
   * was seen before a rewind does not count: that was given up on purpose.
   */
  private @Nullable String lacking(SeenState seen, long durable) {
    if (seen.index() == 0
        || (seen.lineage() != lineage.id() && lineage.descendsFrom(seen.lineage()))) {
      return null;
    }
    String has = "has seen entry " + seen.index();
    if (seen.lineage() != lineage.id()) {
      return has
          + " of a lineage that the leader's state, of entry "
          + durable
          + ", does not know: that is older than its last rewind, or another one's";
    }
    if (seen.index() > durable) {
      return has + ", the leader's state ends at entry " + durable;
    }
    Hash root = rootAt(seen.index());
    return root == null || root.equals(seen.root())
        ? null
        : has + " with root " + seen.root() + ", the leader's state has another one there: " + root;
  }

  /** Ends a session that sends another message before Hello. */
  public void refuseBeforeHello(WorkerSession session) {
    sessions.refuse(session, new Refused(Reason.PROTOCOL_ERROR, "the first message must be Hello"));
  }

  private @Nullable Refused check(WorkerSession session, Hello hello) {
    if (session.isEstablished()) {
      return new Refused(Reason.PROTOCOL_ERROR, "a second Hello on one connection");
    }
    if (!hello.protocolVersion().equals(Protocol.VERSION)) {
      return new Refused(
          Reason.PROTOCOL_VERSION,
          "the leader speaks " + Protocol.VERSION + ", the worker " + hello.protocolVersion());
    }
    String revision = Protocol.revisionProblem(hello.revision(), Protocol.REVISION);
    if (revision != null) {
      return new Refused(Reason.PROTOCOL_VERSION, revision);
    }
    if (!hello.workspace().equals(config.workspace())) {
      return new Refused(
          Reason.WORKSPACE,
          "this is workspace " + config.workspace() + ", the worker wants " + hello.workspace());
    }
    if (!hello.worker().equals(session.worker())) {
      return new Refused(
          Reason.IDENTITY,
          "the certificate is for " + session.worker() + ", the worker says " + hello.worker());
    }
    return null;
  }

  private static Refused isConnected(WorkerSession older) {
    return new Refused(
        Reason.DUPLICATE,
        "worker " + older.worker() + " is already connected from " + older.address());
  }

  private static Refused isAhead(long applied, long durable) {
    return new Refused(
        Reason.DIVERGED,
        "the worker has applied entry "
            + applied
            + ", the log ends at "
            + durable
            + ": it followed another log; if this one was cut or restored on purpose, restart the"
            + " worker");
  }

  private static Refused otherRoot(Hello hello, Hash root) {
    return new Refused(
        Reason.DIVERGED,
        "at entry "
            + hello.appliedIndex()
            + " the worker's root is "
            + hello.appliedRoot()
            + ", the leader's "
            + root);
  }

  /**
   * The root after an entry; null if nothing here knows it any more. Reads the log on the agent's
   * thread: one read per connection is cheap enough.
   */
  private @Nullable Hash rootAt(long index) {
    try {
      return index < log.firstIndex()
          ? rootOfSnapshot(index)
          : LogEntryCodec.decode(log.read(index)).root();
    } catch (IndexOutOfBoundsException trimmed) { // at this moment
      return rootOfSnapshot(index);
    } catch (IOException | DecodeException e) {
      throw new IllegalStateException("cannot read log entry " + index, e);
    }
  }

  private @Nullable Hash rootOfSnapshot(long index) {
    Snapshot snapshot = snapshots.get(index);
    try {
      return snapshot == null ? null : Manifest.root(snapshot.manifest());
    } catch (DecodeException e) {
      return null; // whoever reads the snapshot says so
    }
  }
}

package io.hypersync.leader.session;

import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.lock.LockManager;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.Hello;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Handles Hello: admits a worker if protocol, workspace and identity match and its state is S_k of
 * this leader's log for a durable k that the log still holds, or the empty state if the log is
 * whole. On the agent's thread.
 */
public final class HandshakeHandler {
  private static final long TAKEOVER_AFTER_NS = 1_000_000_000L;
  private static final long NS_PER_MS = 1_000_000;

  private final LeaderConfig config;
  private final long epoch;
  private final OpLog log;
  private final WorkerSessions sessions;
  private final SessionPort port;
  private final LockManager locks;
  private final Hash genesisRoot = FsState.genesis().root();

  /** A handshake handler for one run of the leader. */
  public HandshakeHandler(
      LeaderConfig config,
      long epoch,
      OpLog log,
      WorkerSessions sessions,
      SessionPort port,
      LockManager locks) {
    this.config = config;
    this.epoch = epoch;
    this.log = log;
    this.sessions = sessions;
    this.port = port;
    this.locks = locks;
  }

  /**
   * Answers a Hello with Welcome or Refused. A Welcome closes an older session of the same worker.
   */
  public void hello(WorkerSession session, Hello hello, long nowNs) {
    Refused refused = check(session, hello, nowNs);
    if (refused != null) {
      sessions.refuse(session, refused);
      return;
    }
    WorkerSession older = sessions.of(session.worker());
    if (older != null && older != session) {
      sessions.close(older, "it has a newer connection");
    }
    sessions.establish(session, hello.appliedIndex());
    port.send(
        session.id(),
        new Welcome(
            config.workspace(),
            epoch,
            log.durableIndex(),
            (int) (config.heartbeatNs() / NS_PER_MS),
            config.params().with(config.params().features().and(hello.features())),
            locks.established(session.worker(), hello.run()),
            (int) (config.openLeaseTtlNs() / NS_PER_MS)));
    locks.resumed(session.worker());
  }

  /** Ends a session that sends another message before Hello. */
  public void refuseBeforeHello(WorkerSession session) {
    sessions.refuse(session, new Refused(Reason.PROTOCOL_ERROR, "the first message must be Hello"));
  }

  private @Nullable Refused check(WorkerSession session, Hello hello, long nowNs) {
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
    WorkerSession older = sessions.of(session.worker());
    if (older != null && older != session && nowNs - older.lastHeardNs() < TAKEOVER_AFTER_NS) {
      return new Refused(
          Reason.DUPLICATE,
          "worker " + session.worker() + " is already connected from " + older.address());
    }
    return checkPrefix(hello);
  }

  private @Nullable Refused checkPrefix(Hello hello) {
    long applied = hello.appliedIndex();
    if (applied > log.durableIndex()) {
      return new Refused(
          Reason.DIVERGED,
          "the worker has applied entry "
              + applied
              + ", the log ends at "
              + log.durableIndex()
              + ": it followed another log; if this one was cut or restored on purpose, restart the"
              + " worker");
    }
    long first = log.firstIndex();
    if (applied < first && (applied > 0 || first > 1)) {
      return TrimmedLog.refusal(Math.max(applied, 1), first); // that one's root is compared
    }
    Hash root;
    try {
      root = applied == 0 ? genesisRoot : rootAt(applied);
    } catch (IndexOutOfBoundsException trimmed) { // at this moment
      return TrimmedLog.refusal(applied, log.firstIndex());
    }
    if (!hello.appliedRoot().equals(root)) {
      return new Refused(
          Reason.DIVERGED,
          "at entry "
              + applied
              + " the worker's root is "
              + hello.appliedRoot()
              + ", the leader's "
              + root);
    }
    return null;
  }

  /** Reads the log on the agent's thread: one read per connection is cheap enough. */
  private Hash rootAt(long index) {
    try {
      return LogEntryCodec.decode(log.read(index)).root();
    } catch (IOException | DecodeException e) {
      throw new IllegalStateException("cannot read log entry " + index, e);
    }
  }
}

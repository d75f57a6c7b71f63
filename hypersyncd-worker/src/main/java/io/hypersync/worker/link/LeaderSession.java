package io.hypersync.worker.link;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.worker.WorkerConfig;
import io.hypersync.worker.notice.Notices;
import io.hypersync.worker.port.LeaderLink;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session with the leader as the worker sees it (hypersync.md 9.5): says Hello, judges the
 * Welcome or refusal that follows, knows what was negotiated and how far to catch up, and connects
 * again when the session is lost: with the leader's last resume token, which is in memory only.
 *
 * <p>Used on the agent's thread only, except {@link #params} and {@link #leaderFreeBytes}, which
 * any thread may call.
 */
public final class LeaderSession {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderSession.class);

  private final WorkerConfig config;
  private final LeaderLink link;
  private final LinkMonitor monitor;
  private final Runnable lost;

  private OptionalLong epochSeen = OptionalLong.empty();
  private long catchUpTarget;
  private volatile NegotiatedParams params = NegotiatedParams.DEFAULT;
  private Features features;
  private volatile long leaderFreeBytes = LeaderMessage.Heartbeat.UNKNOWN;

  /** The divergence message that was logged last; empty if the logs agree. */
  private String reportedDivergence = "";

  private String reportedInstall = "";
  private String reportedDeposed = "";
  private String reportedRevocation = "";
  private SessionGrant grant = SessionGrant.NONE;
  private String resumeToken = "";
  private final Notices notices = new Notices();
  private long resumes;
  private long epoch;

  /**
   * A session that is down and due to connect at once.
   *
   * @param lost run when nothing more will be heard in this session
   */
  public LeaderSession(WorkerConfig config, LeaderLink link, Runnable lost, long nowNs) {
    this.config = config;
    this.features = config.features();
    this.link = link;
    this.lost = lost;
    this.monitor = new LinkMonitor(config, nowNs);
  }

  /** From the next Hello on this is offered, too. Before the first connection. */
  public void offer(Feature feature) {
    features = features.with(feature);
  }

  /** The state of the link. */
  public LinkMonitor monitor() {
    return monitor;
  }

  /** Whether the worker has caught up, so that mutations may be sent. */
  public boolean isLive() {
    return monitor.state() == LinkState.LIVE;
  }

  /** Whether the handshake is complete: the leader has sent its Welcome. */
  public boolean isEstablished() {
    return monitor.isConnected() && monitor.state() != LinkState.HANDSHAKING;
  }

  /** The parameters for sending, from the last valid Welcome; any thread. */
  public NegotiatedParams params() {
    return params;
  }

  /**
   * Free space of the leader's disk in bytes, as of its last heartbeat; {@link
   * LeaderMessage.Heartbeat#UNKNOWN} if no heartbeat has reported it. Any thread.
   */
  public long leaderFreeBytes() {
    return leaderFreeBytes;
  }

  /**
   * The connection is up: sends Hello.
   *
   * @param appliedIndex the newest entry that is applied here
   * @param root of the state after it
   * @param run names this run of the worker
   * @param seen the newest state that was ever shown here
   */
  public void sendHello(long appliedIndex, Hash root, ClientId run, SeenState seen, long nowNs) {
    monitor.handshaking(nowNs);
    link.send(
        new Hello(
            Protocol.VERSION,
            config.workspace(),
            config.worker(),
            epochSeen,
            appliedIndex,
            root,
            run,
            Protocol.REVISION,
            features,
            resumeToken,
            seen,
            notices.seen()));
  }

  /**
   * Takes the leader's Welcome.
   *
   * @return whether it is valid; if not, the leader counts as refused for good
   */
  public boolean welcomed(Welcome welcome, long nowNs) {
    if (!welcome.workspace().equals(config.workspace())) {
      link.disconnect();
      refusedHere("the leader serves workspace " + welcome.workspace(), nowNs);
      return false;
    }
    String revision = Protocol.revisionProblem(Protocol.REVISION, welcome.revision());
    String problem = revision == null ? welcome.params().problem(features) : revision;
    if (problem != null) {
      link.disconnect();
      refusedHere(
          revision == null ? "what the leader wants makes no sense: " + problem : revision, nowNs);
      return false;
    }
    params = welcome.params();
    epoch = welcome.leaderEpoch();
    epochSeen = OptionalLong.of(epoch);
    catchUpTarget = welcome.commitIndex();
    grant = welcome.grant();
    resumeToken = grant.token();
    notices.session(grant.session());
    resumes += grant.resumed() ? 1 : 0;
    reportedDivergence = "";
    reportedDeposed = "";
    link.settled();
    monitor.welcomed(nowNs);
    return true;
  }

  /** The token with which the session can be taken up; empty if there is none. */
  public String resumeToken() {
    return resumeToken;
  }

  /**
   * Takes up the session that another worker of this process has left, which may still seem to be
   * connected. Before the first connection.
   *
   * @param token empty if there is none
   */
  public void takeUp(String token) {
    resumeToken = token;
  }

  /**
   * The leader that answers was deposed: nothing is taken from it, and nothing is sent to it. The
   * one that has followed it may come to this address, so there is another attempt after a long
   * pause.
   *
   * @param term its term
   * @param seen the highest one that was seen here
   */
  public void deposed(long term, long seen, long nowNs) {
    String why =
        "the leader was deposed: it has term "
            + term
            + ", and this worker has seen one of term "
            + seen
            + "; if that one leads at another address: --leader-address (docs/leadership.md)";
    if (!why.equals(reportedDeposed)) {
      reportedDeposed = why;
      LOG.error("{}", why);
    }
    link.disconnect();
    downForLong(why, nowNs);
    lost.run();
  }

  /**
   * What is at this address is of no use, and may be for long. If there are others, one of them has
   * the leader, or will have it: they are asked at once, and all of them again and again.
   */
  private void downForLong(String why, long nowNs) {
    if (link.hasOthers()) {
      monitor.down(why, nowNs);
      goOn(nowNs);
    } else {
      monitor.downForLong(why, nowNs);
    }
  }

  private void goOn(long nowNs) {
    if (link.tryNext()) {
      monitor.connectSoon(nowNs);
    }
  }

  /** The leader gives a new resume token, in place of the one before. */
  public void renewed(String token) {
    resumeToken = token;
  }

  /** What the leader has told this worker besides the log. */
  public Notices notices() {
    return notices;
  }

  /** What the last valid Welcome has granted. */
  public SessionGrant grant() {
    return grant;
  }

  /** How often a session was taken up again by its token. */
  public long resumes() {
    return resumes;
  }

  /**
   * Takes the leader's refusal, also in the middle of a session: how long to wait before another
   * attempt depends on the reason. Nothing else says that the session is lost: the link tells of no
   * connection that this side has ended.
   */
  public void refused(Refused refused, long nowNs) {
    link.disconnect();
    switch (refused.reason()) {
      case DUPLICATE -> {
        String why =
            refused.message()
                + "; two machines use one token: make another worker for one of them, on the"
                + " leader's host: ./hypersync token <worker>";
        if (monitor.takenElsewhere(why, nowNs)) {
          LOG.warn(
              LogEvent.LEADER_REFUSES.marker(),
              "the leader refuses: {}; tried again ever more seldom",
              why);
        }
        lost.run();
      }
      case SESSION_REPLACED -> {
        // Whoever has taken the session up has the newer token. Without one, the next Hello is
        // refused as long as the other connection is alive: the two do not take turns.
        resumeToken = "";
        if (monitor.takenElsewhere(refused.message(), nowNs)) {
          LOG.warn("the leader has ended the connection: {}", refused.message());
        }
        lost.run();
      }
      case PROTOCOL_ERROR -> {
        LOG.warn(
            LogEvent.LEADER_REFUSES.marker(), "the leader refuses for now: {}", refused.message());
        monitor.down(refused.message(), nowNs);
        goOn(nowNs);
        lost.run();
      }
      case REVOKED -> revoked(refused.message(), nowNs);
      case DIVERGED -> diverged(refused.message(), nowNs);
      case PROTOCOL_VERSION, WORKSPACE, IDENTITY -> refusedHere(refused.message(), nowNs);
    }
  }

  /**
   * No leader of the workspace accepts this worker's certificate any more, wherever it is. What it
   * has said may have been a mistake that is put right by another state, so it is asked again, but
   * seldom. The session is over for good.
   */
  private void revoked(String why, long nowNs) {
    if (!why.equals(reportedRevocation)) {
      reportedRevocation = why;
      LOG.error("the leader does not accept this worker any more: {}", why);
    }
    resumeToken = "";
    monitor.downForLong(why, nowNs);
    lost.run();
  }

  /** For good, unless the leader may be elsewhere. */
  private void refusedHere(String why, long nowNs) {
    if (link.hasOthers()) {
      downForLong(why, nowNs);
      lost.run();
    } else {
      refusedForGood(why, nowNs);
    }
  }

  /**
   * Nothing that this leader has sent was taken, so the next Hello is that of a worker that has
   * just started ({@code Hello.leaderEpochSeen}): it can still install.
   */
  public void forgetLeader() {
    epochSeen = OptionalLong.empty();
  }

  /**
   * Disconnects from a leader whose snapshot cannot be installed. The next attempt follows after a
   * long pause, as a worker that has seen this leader: it gets entries, if the leader has them.
   */
  public void installFailed(String why, long nowNs) {
    String reason = "the leader's snapshot cannot be installed: " + why;
    if (!reason.equals(reportedInstall)) {
      reportedInstall = reason;
      LOG.warn("{}; tried again every {} s", reason, LinkMonitor.LONG_PAUSE_NS / 1_000_000_000);
    }
    link.disconnect();
    epochSeen = OptionalLong.of(epoch);
    monitor.downForLong(reason, nowNs);
    lost.run();
  }

  /** A message has arrived. */
  public void heard(long nowNs) {
    monitor.heard(nowNs);
  }

  /** A heartbeat says how much the leader's disk can still take. */
  public void freeBytes(long bytes) {
    leaderFreeBytes = bytes;
  }

  /**
   * Makes the session live if the worker has caught up.
   *
   * @param settledIndex the newest entry whose invalidations the kernel has completed
   * @return whether it was made live now
   */
  public boolean goLiveIfCaughtUp(long settledIndex) {
    if (monitor.state() != LinkState.CATCHING_UP || settledIndex < catchUpTarget) {
      return false;
    }
    monitor.live();
    LOG.info(
        LogEvent.LEADER_BACK.marker(),
        "in touch with the leader, caught up to entry {}",
        settledIndex);
    return true;
  }

  /**
   * Ends a session whose leader is silent, and connects when an attempt is due.
   *
   * @param suspendedNs for how long the machine has been suspended so far
   */
  public void tick(long nowNs, long suspendedNs) {
    if (monitor.isSilent(nowNs, suspendedNs)) {
      giveUp("nothing heard for " + monitor.timeoutNs() / 1_000_000 + " ms", nowNs);
    }
    if (monitor.attemptIsDue(nowNs)) {
      monitor.connecting();
      link.connect();
    }
  }

  /** Disconnects from a leader that is of no use; another attempt follows after a pause. */
  public void giveUp(String why, long nowNs) {
    link.disconnect();
    down(why, nowNs);
  }

  /** Connects anew: this worker goes on from another state than it has said. */
  public void connectAnew(String why, long nowNs) {
    giveUp(why, nowNs);
    monitor.connectSoon(nowNs);
  }

  /** The connection is lost or could not be made; another attempt follows after a pause. */
  public void down(String why, long nowNs) {
    if (monitor.state() == LinkState.LIVE) {
      LOG.warn(
          LogEvent.LEADER_LOST.marker(),
          "leader lost: {}; the mount is read-only until it is back",
          why);
    }
    if (monitor.state() != LinkState.REFUSED) {
      monitor.down(why, nowNs);
    }
    lost.run();
  }

  /** The leader's certificate, protocol or workspace is another one: no further attempt is made. */
  public void refusedForGood(String why, long nowNs) {
    LOG.error(LogEvent.LEADER_REFUSES.marker(), "the leader cannot be joined: {}", why);
    monitor.refused(why, nowNs);
    lost.run();
  }

  /**
   * This leader has another log. The right leader may come back at this address, and recognizes
   * this worker's state by its root, so the worker reconnects after long pauses: a leader that
   * sends a Welcome has compared the roots.
   */
  private void diverged(String why, long nowNs) {
    if (!why.equals(reportedDivergence)) {
      reportedDivergence = why;
      LOG.error(
          LogEvent.DIVERGED.marker(),
          "this worker and the leader have different logs, see docs/diverged.md: {}",
          why);
    }
    downForLong(why, nowNs);
    lost.run();
  }
}

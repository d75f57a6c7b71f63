package io.hypersync.leader.presence;

import io.hypersync.leader.presence.PresenceEvent.Kind;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.wire.message.SessionGrant;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which workers are there. A worker's lease begins with its first Hello, goes on while it has a
 * connection, and for a while without one; others see it come and go once for each lease. A run of
 * a worker that comes back within its lease goes on with it; another run of the same worker ends it
 * and begins its own, since the mount of the earlier one is gone.
 *
 * <p>A resume token names a lease. Whoever has one, and the worker's certificate, takes the session
 * up at once, also from a connection that still seems to be alive. A token of an earlier run of the
 * leader takes over a lease that this run cannot know, while a lease can be as old as this run: no
 * lease has ended by time before, so nobody was told that the worker has left. Later, and for one
 * of this run whose lease has ended, a token is of no use.
 *
 * <p>Signing takes milliseconds. So a worker that comes back gets the token that it has had, which
 * is valid for a lease at least, and is known without a look at its signature; and new ones are
 * made by {@link #signWith}. What is left on the agent's thread is the first token of a session,
 * and a check of what this run of the leader has not given last.
 *
 * <p>On the agent's thread. Bounded: one lease for each worker with a certificate, {@link
 * #MAX_LEASES} at most, and {@link PresenceEvents#MAX} events.
 */
public final class Presence {
  /** The most leases; one more ends the one that has been offline longest. */
  public static final int MAX_LEASES = 1_024;

  private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
  private static final long NS_PER_MS = 1_000_000;

  /** A token is given anew so often in the time of a lease. */
  private static final int RENEWALS = 3;

  /** The most tokens that are begun in one turn of the event loop. */
  private static final int MOST_RENEWED = 1;

  /** Tokens that are not taken are told at most so often. */
  private static final long LOG_INTERVAL_NS = 10_000_000_000L;

  private final Clock clock;
  private final Entropy entropy;
  private final long leaseNs;
  private final long startedNs;
  private final long run;
  private final ResumeTokens tokens;
  private final PresenceEvents events;
  private final Map<WorkerId, Lease> leases = new LinkedHashMap<>();
  private final Map<ResumeVerdict, Long> verdicts = new EnumMap<>(ResumeVerdict.class);
  private long nextWarningNs;
  private long unreported;
  private TokenSigner signer = Runnable::run;

  /** Tokens that were signed; written by the signer's thread. */
  private final Queue<Signed> signed = new ConcurrentLinkedQueue<>();

  private record Signed(WorkerId worker, long session, String token) {}

  private static final class Lease {
    final WorkerId worker;
    final long session;
    final long joinedEpochNs;
    ClientId run;
    String address;
    boolean online = true;
    String reason = "";
    long sinceNs;
    long untilNs;
    long renewNs;
    long resumes;

    /** The newest one that was given; valid for a lease and a third from then on. */
    String token = "";

    Lease(WorkerId worker, long session, ClientId run, String address, long epochNs, long nowNs) {
      this.worker = worker;
      this.session = session;
      this.run = run;
      this.address = address;
      this.joinedEpochNs = epochNs;
      this.sinceNs = nowNs;
    }

    Peer peer() {
      return new Peer(
          worker, session, online, address, joinedEpochNs, sinceNs, untilNs, resumes, reason);
    }
  }

  /** A worker's new token. */
  public record Renewal(WorkerId worker, String token) {}

  /**
   * Starts without leases.
   *
   * @param leaseNs how long a worker without a connection counts as there
   * @param key signs the tokens
   */
  public Presence(
      WorkspaceId workspace, long leaseNs, ResumeKey key, Clock clock, Entropy entropy) {
    this.clock = clock;
    this.entropy = entropy;
    this.leaseNs = leaseNs;
    this.startedNs = clock.monotonicNs();
    this.run = entropy.nextLong();
    // As long as the lease after the last renewal, so that no lease outlives its token.
    this.tokens =
        new ResumeTokens(workspace, key, run, (leaseNs + leaseNs / RENEWALS) / NS_PER_MS + 1);
    this.events = new PresenceEvents(clock);
    this.nextWarningNs = startedNs;
  }

  /** Has tokens for those who have one signed there. Before the first worker comes. */
  public void signWith(TokenSigner other) {
    signer = other;
  }

  /**
   * Judges the token of a Hello. Counted; what is not taken is logged.
   *
   * @return the session that the worker takes up; empty if its Hello counts as one without a token
   */
  public OptionalLong resumes(WorkerId worker, String token) {
    long nowNs = clock.monotonicNs();
    expire(nowNs);
    ResumeTokens.Claim claim =
        isGiven(worker, token)
            ? tokens.judgeOwn(worker, token, nowMs())
            : tokens.judge(worker, token, nowMs());
    ResumeVerdict verdict =
        claim.verdict() == ResumeVerdict.VALID && !goesOn(worker, claim, nowNs)
            ? ResumeVerdict.SESSION_OVER
            : claim.verdict();
    verdicts.merge(verdict, 1L, Long::sum);
    if (verdict == ResumeVerdict.VALID) {
      return OptionalLong.of(claim.session());
    }
    if (verdict != ResumeVerdict.NONE) {
      warn(worker, verdict, nowNs);
    }
    return OptionalLong.empty();
  }

  /** Whether this is the token that this run of the leader has given a worker last. */
  private boolean isGiven(WorkerId worker, String token) {
    Lease lease = leases.get(worker);
    return lease != null
        && !lease.token.isEmpty()
        && MessageDigest.isEqual(
            lease.token.getBytes(StandardCharsets.US_ASCII),
            token.getBytes(StandardCharsets.US_ASCII));
  }

  private boolean goesOn(WorkerId worker, ResumeTokens.Claim claim, long nowNs) {
    Lease lease = leases.get(worker);
    return lease == null
        ? claim.leaderRun() != run && nowNs - startedNs < leaseNs
        : lease.session == claim.session();
  }

  private void warn(WorkerId worker, ResumeVerdict verdict, long nowNs) {
    if (nowNs - nextWarningNs < 0) {
      unreported++;
      return;
    }
    nextWarningNs = nowNs + LOG_INTERVAL_NS;
    LOG.warn(
        "the resume token of worker {} is not taken ({}), it begins anew; {} more since the last"
            + " such line",
        worker,
        verdict.text(),
        unreported);
    unreported = 0;
  }

  /**
   * A worker's Hello is accepted.
   *
   * @param run of the worker
   * @param resumes what {@link #resumes} has said of its token just now
   * @return what the Welcome says
   */
  public SessionGrant arrived(WorkerId worker, ClientId run, String address, OptionalLong resumes) {
    long nowNs = clock.monotonicNs();
    expire(nowNs);
    Lease lease = leases.get(worker);
    if (lease != null && (isOf(lease, resumes) || lease.run.equals(run))) {
      comesBack(lease, run, address, nowNs);
    } else {
      if (lease != null) {
        end(lease, "it was started again");
      }
      lease = begin(worker, run, address, resumes, nowNs);
    }
    return new SessionGrant(
        lease.session,
        resumes.isPresent(),
        (int) Math.min(Integer.MAX_VALUE, Math.max(1, leaseNs / NS_PER_MS)),
        token(lease, nowNs));
  }

  /** The one that it has, if that is valid for a lease from now on. */
  private String token(Lease lease, long nowNs) {
    if (lease.token.isEmpty() || lease.renewNs - nowNs <= 0) {
      lease.renewNs = Clock.later(nowNs, leaseNs / RENEWALS);
      lease.token = tokens.issue(lease.worker, lease.session, nowMs());
    }
    return lease.token;
  }

  private static boolean isOf(Lease lease, OptionalLong session) {
    return session.isPresent() && session.getAsLong() == lease.session;
  }

  private void comesBack(Lease lease, ClientId run, String address, long nowNs) {
    lease.run = run;
    lease.address = address;
    lease.resumes++;
    lease.online = true;
    lease.reason = "";
    lease.sinceNs = nowNs;
    events.add(Kind.LINK_RESUMED, lease.worker, lease.session, address, "");
  }

  /** A lease that is taken over from an earlier run of the leader has begun there, and was told. */
  private Lease begin(
      WorkerId worker, ClientId run, String address, OptionalLong resumes, long nowNs) {
    makeRoom();
    long session = resumes.orElseGet(entropy::nextLong);
    Lease lease = new Lease(worker, session, run, address, clock.epochNs(), nowNs);
    leases.put(worker, lease);
    events.add(
        resumes.isPresent() ? Kind.LINK_RESUMED : Kind.WORKER_JOINED,
        worker,
        session,
        address,
        resumes.isPresent() ? "the leader was started again meanwhile" : "");
    return lease;
  }

  private void makeRoom() {
    if (leases.size() < MAX_LEASES) {
      return;
    }
    Lease oldest = null;
    for (Lease lease : leases.values()) {
      if (!lease.online && (oldest == null || lease.sinceNs - oldest.sinceNs < 0)) {
        oldest = lease;
      }
    }
    if (oldest != null) {
      end(oldest, "there are too many workers");
    }
  }

  /** Another connection is about to take up a session that is online. */
  public void replaces(WorkerId worker, String address) {
    Lease lease = leases.get(worker);
    if (lease != null) {
      events.add(
          Kind.SESSION_REPLACED,
          worker,
          lease.session,
          address,
          "it was connected from " + lease.address);
    }
  }

  /**
   * A standby is synchronous from now on, or the leader goes on without it.
   *
   * @param why for a person
   */
  public void standbyChanged(WorkerId standby, boolean isSynchronous, String why) {
    Lease lease = leases.get(standby);
    events.add(
        isSynchronous ? Kind.STANDBY_SYNCHRONOUS : Kind.STANDBY_LEFT,
        standby,
        lease == null ? 0 : lease.session,
        lease == null ? "" : lease.address,
        why);
  }

  /** The connection of a worker has ended; its lease goes on for a while. */
  public void offline(WorkerId worker, String reason) {
    Lease lease = leases.get(worker);
    if (lease == null || !lease.online) {
      return;
    }
    lease.online = false;
    lease.reason = PresenceEvents.bounded(reason);
    lease.sinceNs = clock.monotonicNs();
    lease.untilNs = Clock.later(lease.sinceNs, leaseNs);
    events.add(Kind.LINK_LOST, worker, lease.session, lease.address, reason);
  }

  /**
   * Ends what is over, and has new tokens made for those who need one.
   *
   * @return the tokens that are made, which are to be sent
   */
  public List<Renewal> tick(long nowNs) {
    expire(nowNs);
    int begun = 0;
    for (Lease lease : leases.values()) {
      if (lease.online && lease.renewNs - nowNs <= 0 && begun < MOST_RENEWED) {
        begun++;
        renew(lease, nowNs);
      }
    }
    List<Renewal> renewals = List.of();
    for (Signed made = signed.poll(); made != null; made = signed.poll()) {
      Lease lease = leases.get(made.worker());
      if (lease != null && lease.session == made.session()) { // else it has ended meanwhile
        lease.token = made.token();
        if (lease.online) { // else it gets it when it is back
          renewals = renewals.isEmpty() ? new ArrayList<>() : renewals;
          renewals.add(new Renewal(made.worker(), made.token()));
        }
      }
    }
    return renewals;
  }

  /**
   * Ends a worker's lease at once, so that no token takes it up any more. Does nothing if it has
   * none.
   */
  public void dismissed(WorkerId worker, String reason) {
    Lease lease = leases.get(worker);
    if (lease != null) {
      end(lease, reason);
    }
  }

  private void renew(Lease lease, long nowNs) {
    lease.renewNs = Clock.later(nowNs, leaseNs / RENEWALS);
    WorkerId worker = lease.worker;
    long session = lease.session;
    long ms = nowMs();
    signer.sign(() -> signed.add(new Signed(worker, session, tokens.issue(worker, session, ms))));
  }

  private void expire(long nowNs) {
    @Nullable List<Lease> over = null;
    for (Lease lease : leases.values()) {
      if (!lease.online && lease.untilNs - nowNs <= 0) {
        over = over == null ? new ArrayList<>() : over;
        over.add(lease);
      }
    }
    if (over != null) {
      over.forEach(lease -> end(lease, lease.reason));
    }
  }

  private void end(Lease lease, String reason) {
    leases.remove(lease.worker);
    events.add(Kind.WORKER_LEFT, lease.worker, lease.session, lease.address, reason);
  }

  private long nowMs() {
    return clock.epochNs() / NS_PER_MS;
  }

  /** The workers that are there, in the order in which they came. */
  public List<Peer> peers() {
    return leases.values().stream().map(Lease::peer).toList();
  }

  /** How long a lease goes on without a connection, in nanoseconds. */
  public long leaseNs() {
    return leaseNs;
  }

  /** What has happened lately. */
  public PresenceEvents events() {
    return events;
  }

  /** How many Hellos there were with such a token. */
  public long count(ResumeVerdict verdict) {
    return verdicts.getOrDefault(verdict, 0L);
  }
}

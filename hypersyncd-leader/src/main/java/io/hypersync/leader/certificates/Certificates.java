package io.hypersync.leader.certificates;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whose certificates have come, which ones are revoked, and which standbys know that. On the
 * agent's thread.
 *
 * <p>Bounded: {@link #MAX_KNOWN} certificates. One more replaces the one that was seen longest ago:
 * nothing depends on these but what people are shown.
 */
public final class Certificates {
  /** The most certificates that are remembered. */
  public static final int MAX_KNOWN = 4_096;

  private static final long NS_PER_MS = 1_000_000;

  /** How old what is stored of the last sight of a connected worker may be. */
  private static final long SEEN_AGAIN_MS = 3_600_000;

  private final Clock clock;
  private RevocationList revoked = RevocationList.NONE;

  /** By serial number, the one seen longest ago first. */
  private final Map<String, KnownCertificate> known = new LinkedHashMap<>();

  private final Map<SessionId, Connection> connections = new LinkedHashMap<>();
  private boolean isChanged;

  /** When it was stored last, in ms since 1970: seen is each of a connected worker all the time. */
  private long storedMs;

  private static final class Connection {
    final WorkerId worker;
    final CertificateFacts cert;
    boolean isStandby;

    /** How many revocations it was told of; -1 before. */
    int told = -1;

    /** How many it has on its disk; -1 before. */
    int kept = -1;

    Connection(WorkerId worker, CertificateFacts cert) {
      this.worker = worker;
      this.cert = cert;
    }
  }

  /**
   * Whether a connected standby has all revocations on its disk.
   *
   * @param standby its name
   */
  public record StandbyKnowledge(WorkerId standby, boolean isUpToDate) {}

  /** Starts without any. */
  public Certificates(Clock clock) {
    this.clock = clock;
  }

  /** Sets what an earlier run knew. Before the first connection. */
  public void begin(RevocationList revocations, List<KnownCertificate> earlier) {
    revoked = revocations;
    storedMs = nowMs();
    earlier.forEach(each -> known.put(each.facts().serial(), each));
  }

  /**
   * A connection with this certificate has come.
   *
   * @return what it is to be refused for; null if it is not
   */
  public @Nullable Revocation connected(SessionId session, WorkerId worker, CertificateFacts cert) {
    Revocation why = revoked.refusing(worker, cert);
    note(worker, cert, false);
    if (why == null) {
      connections.put(session, new Connection(worker, cert));
    }
    return why;
  }

  /** A connection has ended; others are ignored. */
  public void ended(SessionId session) {
    Connection ended = connections.remove(session);
    if (ended != null) {
      note(ended.worker, ended.cert, ended.isStandby);
    }
  }

  private void note(WorkerId worker, CertificateFacts cert, boolean isStandby) {
    KnownCertificate before = known.remove(cert.serial());
    long nowMs = nowMs();
    boolean wasStandby = before != null && before.isStandby();
    known.put(cert.serial(), new KnownCertificate(cert, worker, isStandby || wasStandby, nowMs));
    if (known.size() > MAX_KNOWN) {
      known.remove(known.keySet().iterator().next());
    }
    if (before == null
        || (isStandby && !wasStandby)
        || nowMs - before.seenMs() > SEEN_AGAIN_MS
        || nowMs - storedMs > SEEN_AGAIN_MS) {
      isChanged = true;
    }
  }

  /**
   * A connection is that of a standby, which is told what is revoked if this says so.
   *
   * @return whether it was not told yet of all
   */
  public boolean tellsStandby(SessionId session) {
    Connection connection = connections.get(session);
    if (connection == null || connection.told == revoked.all().size()) {
      return false;
    }
    connection.told = revoked.all().size();
    if (!connection.isStandby) {
      connection.isStandby = true;
      note(connection.worker, connection.cert, true);
    }
    return true;
  }

  /**
   * A standby has so many revocations on its disk.
   *
   * @return false if it was never told of so many: it is not believed
   */
  public boolean kept(SessionId session, int count) {
    Connection connection = connections.get(session);
    if (connection == null || count > connection.told) {
      return false;
    }
    connection.kept = Math.max(connection.kept, count);
    return true;
  }

  /**
   * Takes a longer list, which is durable here.
   *
   * @return the connections that are to be ended, and why; they are forgotten here. {@link
   *     #standbys} are to be told
   */
  public Map<SessionId, Revocation> revoked(RevocationList longer) {
    revoked = longer;
    Map<SessionId, Revocation> cut = new HashMap<>();
    connections.forEach(
        (session, connection) -> {
          Revocation why = longer.refusing(connection.worker, connection.cert);
          if (why != null) {
            cut.put(session, why);
          }
        });
    cut.keySet().forEach(this::ended);
    return cut;
  }

  /** The connections of standbys. */
  public List<SessionId> standbys() {
    List<SessionId> all = new ArrayList<>();
    connections.forEach(
        (session, connection) -> {
          if (connection.isStandby) {
            all.add(session);
          }
        });
    return all;
  }

  /** Which connected standbys have all that is revoked on their disks. */
  public List<StandbyKnowledge> knowledge() {
    List<StandbyKnowledge> all = new ArrayList<>();
    for (Connection each : connections.values()) {
      if (each.isStandby) {
        all.add(new StandbyKnowledge(each.worker, each.kept == revoked.all().size()));
      }
    }
    return all;
  }

  /** What is revoked. */
  public RevocationList revocations() {
    return revoked;
  }

  /** All that is known, those of workers that are connected as seen now. */
  public List<KnownCertificate> known() {
    for (Connection each : new ArrayList<>(connections.values())) {
      note(each.worker, each.cert, each.isStandby);
    }
    return List.copyOf(known.values());
  }

  /** The serial numbers of certificates with which workers are connected. */
  public Set<String> connectedSerials() {
    Set<String> serials = new HashSet<>();
    connections.values().forEach(each -> serials.add(each.cert.serial()));
    return serials;
  }

  /** What is to be stored; null if nothing has changed since the last time. */
  public @Nullable List<KnownCertificate> takeChanged() {
    List<KnownCertificate> now = known();
    if (!isChanged) {
      return null;
    }
    isChanged = false;
    storedMs = nowMs();
    return now;
  }

  private long nowMs() {
    return clock.epochNs() / NS_PER_MS;
  }
}

package io.hypersync.sim.check;

import io.hypersync.leader.presence.Peer;
import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.leader.presence.PresenceEvent.Kind;
import io.hypersync.model.id.ClientId;
import io.hypersync.wire.message.SessionGrant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks what one run of the leader says of the presence of workers. A worker joins and leaves in
 * turn. It leaves only when it was without a connection for its lease, or when another run of it
 * has come; then it does leave. A wrong token takes up nothing, and whoever takes up a session does
 * not join.
 */
public final class PresenceChecker {
  private final long leaseNs;

  /** How much later than its end a lease may be seen to be over. */
  private final long latenessNs;

  private final Map<String, ClientId> there = new LinkedHashMap<>();
  private final Map<String, Long> awaySinceNs = new LinkedHashMap<>();
  private final Map<String, Hello> hellos = new LinkedHashMap<>();
  private long seen;

  private record Hello(ClientId run, boolean wrongToken) {}

  /**
   * Begins without workers.
   *
   * @param latenessNs how much later than its end a lease may be seen to be over
   */
  public PresenceChecker(long leaseNs, long latenessNs) {
    this.leaseNs = leaseNs;
    this.latenessNs = latenessNs;
  }

  /**
   * A worker's Hello is about to be judged.
   *
   * @param wrongToken whether its token was changed, or is another one's
   */
  public void hello(String worker, ClientId run, boolean wrongToken) {
    hellos.put(worker, new Hello(run, wrongToken));
  }

  /** The leader welcomes a worker; its events so far were not looked at yet. */
  public void welcomed(String worker, SessionGrant grant, List<PresenceEvent> events, long nowNs) {
    Hello hello = hellos.get(worker);
    if (hello != null && hello.wrongToken && grant.resumed()) {
      throw new Violation("worker " + worker + " takes up a session with a wrong token");
    }
    for (PresenceEvent event : events) {
      if (grant.resumed()
          && event.number() > seen
          && event.kind() == Kind.WORKER_JOINED
          && event.worker().name().equals(worker)) {
        throw new Violation("worker " + worker + " joins though its session goes on");
      }
    }
    happened(events, nowNs);
  }

  /** Looks at all that has happened since the last look. */
  public void look(List<PresenceEvent> events, List<Peer> peers, Set<String> online, long nowNs) {
    happened(events, nowNs);
    for (Peer peer : peers) {
      String worker = peer.worker().name();
      if (peer.isOnline() != online.contains(worker)) {
        throw new Violation("worker " + worker + " counts as " + (peer.isOnline() ? "on" : "off"));
      }
      Long since = awaySinceNs.get(worker);
      if (since != null && nowNs - since > leaseNs + latenessNs) {
        throw new Violation("the lease of worker " + worker + " does not end");
      }
    }
    if (peers.size() != there.size()) {
      throw new Violation("told are the workers " + there.keySet() + ", but there are " + peers);
    }
  }

  private void happened(List<PresenceEvent> events, long nowNs) {
    for (PresenceEvent event : events) {
      if (event.number() > seen) {
        seen = event.number();
        happened(event, nowNs);
      }
    }
  }

  private void happened(PresenceEvent event, long nowNs) {
    String worker = event.worker().name();
    Hello hello = hellos.get(worker);
    ClientId run = hello == null ? null : hello.run;
    switch (event.kind()) {
      case WORKER_JOINED -> {
        if (run == null || there.put(worker, run) != null) {
          throw new Violation("worker " + worker + " joins twice");
        }
        awaySinceNs.remove(worker);
      }
      case WORKER_LEFT -> {
        ClientId gone = there.remove(worker);
        Long since = awaySinceNs.remove(worker);
        if (gone == null) {
          throw new Violation("worker " + worker + " leaves twice");
        }
        boolean isOver = since != null && nowNs - since >= leaseNs;
        if (!isOver && gone.equals(run)) {
          throw new Violation("worker " + worker + " leaves within its lease");
        }
      }
      case LINK_RESUMED -> {
        if (run != null) {
          there.put(worker, run);
        }
        awaySinceNs.remove(worker);
      }
      case LINK_LOST -> awaySinceNs.put(worker, nowNs);
      case SESSION_REPLACED, STANDBY_SYNCHRONOUS, STANDBY_LEFT -> {}
    }
  }
}

package io.hypersync.sim.node;

import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.message.SessionGrant;
import io.hypersync.wire.message.WorkerMessage.Hello;
import java.util.ArrayList;
import java.util.List;

/**
 * Somebody who reads the resume tokens of all workers, and puts wrong ones into some Hellos: with
 * another signature, of another worker. And a leader that forgets its key now and then.
 */
final class SimTokens {
  /** One Hello in so many has a wrong token. */
  private static final int WRONG_ONE_IN = 6;

  /** One start in so many has another key. */
  private static final int FORGOTTEN_KEY_ONE_IN = 6;

  private final LeaderDisk disk;
  private final Prng prng;

  /**
   * Begins with a run of the leader.
   *
   * @param seed of what is decided here, so that it changes no other decision
   */
  SimTokens(LeaderDisk disk, long seed) {
    this.disk = disk;
    this.prng = new Prng(seed + 3);
  }

  ResumeKey key() {
    if (prng.oneIn(FORGOTTEN_KEY_ONE_IN)) {
      disk.loseResumeKey();
    }
    return disk.resumeKey();
  }

  void overheard(String worker, String token) {
    disk.overheard().put(worker, token);
  }

  void welcomed(String worker, SessionGrant grant) {
    overheard(worker, grant.token());
    if (grant.resumed()) {
      disk.snapshots().count(LeaderDisk.SESSION_RESUMED);
    }
  }

  void count(PresenceEvent event) {
    switch (event.kind()) {
      case WORKER_LEFT -> disk.snapshots().count(LeaderDisk.LEASE_ENDED);
      case SESSION_REPLACED -> disk.snapshots().count(LeaderDisk.SESSION_REPLACED);
      case LINK_RESUMED -> {
        if (!event.reason().isEmpty()) {
          disk.snapshots().count(LeaderDisk.SESSION_TAKEN_OVER);
        }
      }
      case WORKER_JOINED, LINK_LOST, STANDBY_SYNCHRONOUS, STANDBY_LEFT -> {}
    }
  }

  /** The Hello as it arrives. */
  Hello tampered(Hello hello) {
    if (hello.resumeToken().isEmpty() || !prng.oneIn(WRONG_ONE_IN)) {
      return hello;
    }
    disk.snapshots().count(LeaderDisk.WRONG_TOKEN);
    return new Hello(
        hello.protocolVersion(),
        hello.workspace(),
        hello.worker(),
        hello.leaderEpochSeen(),
        hello.appliedIndex(),
        hello.appliedRoot(),
        hello.run(),
        hello.revision(),
        hello.features(),
        prng.oneIn(2) ? forged(hello.resumeToken()) : ofAnother(hello),
        hello.seen(),
        hello.noticesSeen());
  }

  /** The same, with another signature. */
  private static String forged(String token) {
    int first = token.lastIndexOf('.') + 1;
    char other = token.charAt(first) == 'A' ? 'B' : 'A';
    return token.substring(0, first) + other + token.substring(first + 1);
  }

  private String ofAnother(Hello hello) {
    List<String> others = new ArrayList<>();
    disk.overheard()
        .forEach(
            (worker, token) -> {
              if (!worker.equals(hello.worker().name())) {
                others.add(token);
              }
            });
    return others.isEmpty() ? forged(hello.resumeToken()) : others.get(prng.below(others.size()));
  }
}

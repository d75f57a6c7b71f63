package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Leader and workers are killed again and again, at any moment, while everything happens that a
 * workspace can do (hypersync.md 0.1.2, 13, 14, 22.3). They start again by themselves, nothing that
 * was acknowledged is missing, and nothing that was removed is back.
 */
@RealMounts
class ManyKillsTest {
  private static final int KILLS = Integer.getInteger("hypersync.kills", 6);

  /** A run ends after so many minutes, even if it has fewer kills. */
  private static final int MINUTES = Integer.getInteger("hypersync.kills.minutes", 300);

  private static final long SEED = Long.getLong("hypersync.kills.seed", System.nanoTime());

  /** Whether every other kill of the leader is a power cut on a disk that forgets. */
  private static final boolean POWER = Boolean.getBoolean("hypersync.kills.power");

  /** From so many kills on, each kind of event must have come about. */
  private static final int LONG_RUN = 100;

  private static final int CHECK_EVERY = 5;
  private static final int MAX_CALLS = 60;
  private static final int MAX_DELAY_MS = 150;
  private static final int EMPTIED_ONE_IN = 4;
  private static final int AGAIN_ONE_IN = 3;

  /** For the leader, for a worker. */
  private static final List<KillMoment> OF_LEADER =
      List.of(
          KillMoment.LOAD,
          KillMoment.SNAPSHOT,
          KillMoment.COLLECTION,
          KillMoment.SCRUB,
          KillMoment.BACKUP,
          KillMoment.RESTORE,
          KillMoment.RESTORE_ALL,
          KillMoment.TRIM,
          KillMoment.PAST_MOUNT);

  private static final List<KillMoment> OF_WORKER =
      List.of(
          KillMoment.LOAD,
          KillMoment.SNAPSHOT,
          KillMoment.COLLECTION,
          KillMoment.RESTORE,
          KillMoment.RESTORE_ALL,
          KillMoment.PAST_MOUNT,
          KillMoment.INSTALL);

  private static final List<List<String>> VICTIMS =
      List.of(
          List.of("leader"),
          List.of("leader"),
          List.of("leader"),
          List.of("a"),
          List.of("b"),
          List.of("a"),
          List.of("b"),
          List.of("leader", "a"),
          List.of("b", "leader"),
          List.of("a", "b"),
          List.of("b", "a", "leader"));

  private final Random random = new Random(SEED);

  @Test
  @LongVersion
  void nothingAcknowledgedIsMissing() throws Exception {
    System.out.println("-Dhypersync.kills.seed=" + SEED);
    long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    try (KilledWorkspace workspace = KilledWorkspace.start(random, POWER)) {
      try {
        for (int round = 1;
            workspace.tally().kills() < KILLS && System.nanoTime() - endNs < 0;
            round++) {
          String what = round(workspace);
          if (round % CHECK_EVERY == 0) {
            workspace.check();
            workspace.load().start();
          }
          System.out.printf(
              "%d kills; %s; %s%n", workspace.tally().kills(), what, workspace.load());
        }
        workspace.checkAll();
        report(workspace);
      } catch (Exception | Error failure) {
        System.err.println("-Dhypersync.kills.seed=" + SEED);
        System.err.println(String.join("\n", workspace.tally().rows()));
        System.err.println(workspace.cluster().logs());
        throw failure;
      } finally {
        workspace.keepLogs();
      }
    }
  }

  /** One or two daemons are killed, perhaps again while they start, and come back. */
  private String round(KilledWorkspace workspace) throws Exception {
    List<String> victims = VICTIMS.get(random.nextInt(VICTIMS.size()));
    String first = victims.getFirst();
    List<KillMoment> moments = first.equals("leader") ? OF_LEADER : OF_WORKER;
    KillMoment moment = moments.get(random.nextInt(moments.size()));
    workspace.load().awaitProgress(1 + random.nextInt(MAX_CALLS));
    workspace.begin(moment, first);
    Thread.sleep(random.nextInt(MAX_DELAY_MS));
    workspace.kill(moment == KillMoment.INSTALL ? KillMoment.LOAD : moment, victims);
    for (String victim : victims) {
      boolean installs = moment == KillMoment.INSTALL && victim.equals(first);
      if (KilledWorkspace.WORKERS.contains(victim)
          && (installs || random.nextInt(EMPTIED_ONE_IN) == 0)) {
        workspace.empty(victim, random.nextBoolean());
      }
      if (installs && !victims.contains("leader")) {
        workspace.killWhileItInstalls(victim);
      } else if (random.nextInt(AGAIN_ONE_IN) == 0) {
        workspace.killWhileItStarts(victim);
      }
    }
    workspace.startAgain(victims);
    workspace.finish(moment, victims);
    return moment + " of " + victims;
  }

  private static void report(KilledWorkspace workspace) {
    KillTally tally = workspace.tally();
    Map<String, Long> events = tally.events(workspace.cluster(), workspace.snapshots());
    System.out.println(String.join("\n", tally.rows()));
    events.forEach((what, count) -> System.out.printf("%-45s %12d%n", what, count));
    System.out.printf("%-45s %12d%n", "slowest start, ms", workspace.slowestStartMs());
    System.out.println(workspace.load());
    if (tally.kills() >= LONG_RUN) {
      events.forEach((what, count) -> assertTrue(count > 0, "this never came about: " + what));
      for (KillMoment each : KillMoment.values()) {
        assertTrue(tally.kills(each) > 0, "nothing was killed in " + each);
      }
    }
  }
}

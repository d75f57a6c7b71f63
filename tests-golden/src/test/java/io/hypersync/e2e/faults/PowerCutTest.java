package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.disk.Lie;
import io.hypersync.disk.Naming;
import io.hypersync.disk.PowerLossDisk;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The power of the leader's machine fails repeatedly while files are written. Nothing that was
 * acknowledged may be missing, and the leader must recover by itself (hypersync.md 0.1.2, 8.2,
 * 22.3).
 *
 * <p>All state of the leader is on a {@link PowerLossDisk}; what it did not sync survives at
 * random. Worker a keeps running and writes. Worker b loses its power now and then, too, and must
 * rebuild its state from the leader's log alone; so must worker c, which starts at the end.
 */
@RealMounts
class PowerCutTest {
  private static final int CUTS = Integer.getInteger("hypersync.power.cuts", 10);
  private static final long SEED = Long.getLong("hypersync.power.seed", System.nanoTime());
  private static final int MAX_CALLS = 60;
  private static final int MAX_PAUSE_MS = 30;
  private static final int MAX_FAILING_MS = 150;
  private static final int WORKER_CUT_ONE_IN = 4;
  private static final int ENOUGH_TO_MISS = 20;

  /** How the power fails. */
  private enum Way {
    /** Disk and leader fail at the same time. */
    SUDDENLY,
    /** The disk fails first, and the leader still runs for a moment. */
    DISK_FIRST,
    /** Shortly after the leader was killed and recovered from data in the page cache. */
    AFTER_A_KILL,
    /** At once, and again while the leader starts. */
    TWICE
  }

  @Test
  @LongVersion
  void nothingAcknowledgedIsMissing() throws Exception {
    Random random = new Random(SEED);
    System.out.println("-Dhypersync.power.seed=" + SEED);
    try (PoweredWorkspace powered = PoweredWorkspace.create()) {
      try {
        powered.start(SEED, "a", "b");
        int cuts = 0;
        while (cuts < CUTS) {
          cuts += cut(powered, random);
          powered.restart();
          powered.check("a");
          if (random.nextInt(WORKER_CUT_ONE_IN) == 0) {
            powered.cutWorkersPower(random);
            powered.check("b");
          }
          System.out.printf("%d cuts; %s%n", cuts, powered.load());
        }
        powered.cluster().startWorker("c");
        for (String worker : new String[] {"a", "b", "c"}) {
          powered.check(worker);
        }
        powered.cluster().assertSameRoots("a", "b", "c");
      } catch (Exception | Error failure) {
        System.err.println("-Dhypersync.power.seed=" + SEED + "\n" + powered.cluster().logs());
        throw failure;
      }
    }
  }

  /** Lets the load run and cuts the power; returns the number of power cuts. */
  private static int cut(PoweredWorkspace powered, Random random) throws Exception {
    PowerLossDisk disk = powered.disk();
    TestCluster cluster = powered.cluster();
    disk.setNaming(random.nextBoolean() ? Naming.STRICT : Naming.JOURNALED);
    powered.load().start();
    runForAWhile(powered, random);
    Way way = Way.values()[random.nextInt(Way.values().length)];
    switch (way) {
      case SUDDENLY, TWICE -> cluster.leader().kill();
      case DISK_FIRST -> {
        disk.fail();
        Thread.sleep(random.nextInt(MAX_FAILING_MS));
        cluster.leader().kill();
      }
      case AFTER_A_KILL -> {
        cluster.leader().kill();
        cluster.startLeader();
        cluster.awaitWritable("a");
        runForAWhile(powered, random);
        cluster.leader().kill();
      }
    }
    powered.load().stopSoon();
    disk.cutPower(random);
    if (way != Way.TWICE) {
      return 1;
    }
    DaemonJvm starting = cluster.launchLeader();
    Thread.sleep(random.nextLong(powered.lastStartMs() + 1));
    starting.kill();
    disk.cutPower(random);
    return 2;
  }

  /** Waits for some calls and a random time, so that the power cut may hit any part of a call. */
  private static void runForAWhile(PoweredWorkspace powered, Random random)
      throws InterruptedException {
    powered.load().awaitProgress(random.nextInt(MAX_CALLS));
    Thread.sleep(random.nextInt(MAX_PAUSE_MS));
  }

  /** The control for the test above: without syncs, lost data must be detected. */
  @ParameterizedTest
  @EnumSource(Lie.class)
  void aDiskThatLiesIsNoticed(Lie lie) throws Exception {
    try (PoweredWorkspace powered = PoweredWorkspace.create()) {
      powered.start(SEED, "a");
      powered.disk().lie(lie);
      if (lie == Lie.DIRECTORY_SYNCS) { // each start publishes a new segment by a rename
        powered.cluster().leader().kill();
        powered.restart();
      }
      powered.load().start();
      powered.load().awaitProgress(ENOUGH_TO_MISS);
      powered.cluster().leader().kill();
      powered.load().stopSoon();
      powered.disk().cutPower(new Random(SEED), 0);
      AssertionError noticed =
          assertThrows(AssertionError.class, powered::restart, "nobody missed what was lost");
      String how = String.valueOf(noticed.getMessage());
      assertTrue(how.contains("the log ends at") || how.contains("leader ended with"), how);
    }
  }
}

package io.hypersync.bench;

import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The suite of growth: a leader and a worker as processes, with short retention; files change all
 * the time while their number and size stay the same. What the daemons take of the disk, of memory
 * and of time to start must not depend on how long that goes on.
 *
 * @param entries the numbers of entries to look at, increasing
 */
record Growth(List<Long> entries) {
  static final List<Long> USUAL_ENTRIES = List.of(3_000L, 9_000L, 30_000L);

  /** So many entries come right before a kill, and are in no snapshot perhaps. */
  private static final int BEFORE_KILL = 500;

  private static final String WORKER = "a";
  private static final double NS_PER_S = 1e9;

  /** Whether these are numbers to compare: two at least, each larger than the one before. */
  static boolean isIncreasing(List<Long> entries) {
    for (int i = 1; i < entries.size(); i++) {
      if (entries.get(i) <= entries.get(i - 1)) {
        return false;
      }
    }
    return entries.size() > 1 && entries.getFirst() > 0;
  }

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    Demo.Cast cast =
        new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
            .start(
                NewIds.workspace(),
                List.of(WORKER),
                Demo.Extras.settings(Upkeep.LEADER_SETTINGS, Upkeep.WORKER_SETTINGS));
    Churn churn = new Churn(() -> commitIndex(cast), folder.mount(WORKER).resolve("bench"));
    cleanup.add("stop changing files", churn::stop);
    List<GrowthPoint> points = new ArrayList<>();
    for (long number : entries) {
      narrator.say("changing files up to entry %s", Quantities.count(number));
      points.add(new Round(cast, folder, churn).measure(number));
      GrowthPoint point = points.getLast();
      narrator.say(
          "%s entries: leader %s, worker %s on the disk, %s of files",
          Quantities.count(point.entries()),
          Quantities.bytes(point.leader().disk().bytes()),
          Quantities.bytes(point.worker().disk().bytes()),
          Quantities.bytes(point.liveBytes()));
    }
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return GrowthReport.of(load, points);
  }

  private static long commitIndex(Demo.Cast cast) {
    return cast.leader().status().path("commit_index").asLong();
  }

  /** One point. */
  private record Round(Demo.Cast cast, DemoFolder folder, Churn churn) {
    GrowthPoint measure(long number) throws IOException, InterruptedException {
      long before = commitIndex(cast);
      long beganNs = System.nanoTime();
      long entries = churn.until(number);
      double perSecond = (entries - before) * NS_PER_S / (System.nanoTime() - beganNs);
      ResidentMemory leaderMemory = ResidentMemory.of(leader().pid());
      ResidentMemory workerMemory = ResidentMemory.of(worker().pid());
      Upkeep.settle(cast);
      Restart leaderStopped = restart(leader(), Restart.How.STOPPED);
      Restart workerStopped = restart(worker(), Restart.How.STOPPED);
      Restart leaderKilled = restart(leader(), Restart.How.KILLED);
      Restart workerKilled = restart(worker(), Restart.How.KILLED);
      // Now: a leader keeps what was uploaded to it in the minute before, or since its start.
      Upkeep.settle(cast);
      StateDisk leaderDisk = StateDisk.of(folder.leaderState());
      StateDisk workerDisk = StateDisk.of(folder.state(WORKER));
      long liveBytes = leader().status().path("bytes").asLong();
      return new GrowthPoint(
          entries,
          perSecond,
          liveBytes,
          new GrowthPoint.Daemon(leaderDisk, leaderMemory, leaderStopped, leaderKilled),
          new GrowthPoint.Daemon(workerDisk, workerMemory, workerStopped, workerKilled));
    }

    private Restart restart(ChildDaemon daemon, Restart.How how)
        throws IOException, InterruptedException {
      if (how == Restart.How.KILLED) {
        var _ = churn.until(commitIndex(cast) + BEFORE_KILL);
      }
      Restart found = Restart.of(daemon, how);
      var _ =
          worker()
              .await(
                  "be in touch again",
                  status ->
                      status.path("connected").asBoolean()
                          && !status.path("read_only").asBoolean());
      return found;
    }

    private ChildDaemon leader() {
      return cast.leader();
    }

    private ChildDaemon worker() {
      return cast.workers().firstEntry().getValue();
    }
  }
}

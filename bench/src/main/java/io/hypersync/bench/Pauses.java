package io.hypersync.bench;

import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The suite of pauses: a leader and workers as processes; measures how long each JVM stops its
 * threads while files are created at half of the possible rate.
 *
 * @param workers how many
 * @param seconds how long to run at half speed
 */
record Pauses(Workers workers, double seconds) {
  /** Default duration: HyperSync's target is defined for ten minutes. */
  static final double USUAL_SECONDS = 600;

  private static final int THREADS = 16;
  private static final long FULL_SPEED_NS = 20_000_000_000L;
  private static final double NS_PER_S = 1e9;

  /** Disk space of a file of 4 KiB at the leader and at each worker, with its metadata. */
  private static final int BYTES_A_FILE = 6 * 1024;

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    Path logs = Files.createDirectory(folder.root().resolve("safepoints"));
    Demo.Cast cast =
        new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
            .start(
                NewIds.workspace(),
                workers.names(),
                Demo.Extras.NONE.withJavaOptions(List.of(SafepointLog.option(logs))));
    MeasuredFilesystem mount = workers.measured(folder);
    EndToEnd.warmUp(narrator, cleanup, mount);
    narrator.say("creating files as fast as %d threads can", THREADS);
    Sample full = create(cleanup, new Meter(0, FULL_SPEED_NS), mount, "full");
    double half = full.operationsPerSecond() / 2;
    requireRoom(folder.root(), half);
    Demo.settle(cast);
    narrator.say(
        "%s files a second; now half of that for %.0f s",
        Quantities.count(Math.round(full.operationsPerSecond())), seconds);
    Map<String, SafepointLog> safepoints = logs(cast, logs);
    Map<String, Long> before = lengths(safepoints);
    Sample held = create(cleanup, new Meter(0, (long) (seconds * NS_PER_S), half), mount, "half");
    Map<String, Long> after = lengths(safepoints);
    List<DaemonPauses> found = new ArrayList<>();
    for (Map.Entry<String, SafepointLog> log : safepoints.entrySet()) {
      String daemon = log.getKey();
      found.add(
          new DaemonPauses(daemon, log.getValue().pausesNs(before.get(daemon), after.get(daemon))));
    }
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return PauseReport.of(load, workers, full, held, found);
  }

  private static Sample create(Cleanup cleanup, Meter meter, MeasuredFilesystem mount, String phase)
      throws IOException, InterruptedException {
    cleanup.add("stop creating files", meter::stop);
    MeasuredFilesystem own = new MeasuredFilesystem(mount.kind(), mount.root().resolve(phase));
    return meter.measure(Operation.CREATE, own, THREADS);
  }

  private void requireRoom(Path root, double perSecond) throws IOException {
    long bytes = (long) (seconds * perSecond * BYTES_A_FILE * (1 + workers.count()));
    long room = Files.getFileStore(root).getUsableSpace();
    if (room < bytes) {
      throw new UserError(
          "the files of "
              + Math.round(seconds)
              + " s need "
              + Quantities.bytes(bytes)
              + " of the disk, of which "
              + Quantities.bytes(room)
              + " are free",
          "A shorter time: --seconds <n>; another disk: --dir <dir>");
    }
  }

  private static Map<String, SafepointLog> logs(Demo.Cast cast, Path folder) {
    Map<String, SafepointLog> logs = new LinkedHashMap<>();
    logs.put("leader", SafepointLog.of(folder, cast.leader().pid()));
    for (Map.Entry<String, ChildDaemon> worker : cast.workers().entrySet()) {
      logs.put("worker " + worker.getKey(), SafepointLog.of(folder, worker.getValue().pid()));
    }
    return logs;
  }

  private static Map<String, Long> lengths(Map<String, SafepointLog> logs) throws IOException {
    Map<String, Long> lengths = new LinkedHashMap<>();
    for (Map.Entry<String, SafepointLog> log : logs.entrySet()) {
      lengths.put(log.getKey(), log.getValue().length());
    }
    return lengths;
  }
}

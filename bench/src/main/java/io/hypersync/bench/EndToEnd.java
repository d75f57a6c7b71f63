package io.hypersync.bench;

import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The end-to-end suite: a leader and workers as processes, measured through a mount, and the same
 * operations on the leader's disk and on other filesystems on it.
 *
 * @param workers how many; measuring what one mount shows of another's changes takes two
 * @param seconds how long to measure each figure
 * @param operations which ones
 * @param threads the numbers of threads to measure with
 * @param beside the other filesystems to measure
 * @param peer the script that sets up a networked filesystem, if one is wanted
 * @param memory if present, measure memory instead, with this number of files
 * @param fileBytes size of each of those files
 */
record EndToEnd(
    Workers workers,
    double seconds,
    List<Operation> operations,
    List<Integer> threads,
    Set<MeasuredFilesystem.Kind> beside,
    Optional<Path> peer,
    OptionalLong memory,
    int fileBytes) {
  private static final double NS_PER_S = 1e9;
  private static final double WARM_UP_SHARE = 0.25;

  /** For each warm-up step: the compiler shares two CPUs with the code that it compiles. */
  private static final long WARM_UP_NS = 8_000_000_000L;

  /** Without fsync, a tenth of a second suffices for thousands of files. */
  private static final long BRIEF_NS = 100_000_000L;

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    Demo demo = new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()));
    Demo.Cast cast =
        demo.start(NewIds.workspace(), workers.names(), BaselineFilesystems.extras(beside));
    MeasuredFilesystem mount = workers.measured(folder).servedBy(daemons(cast));
    List<Pair> rows = List.of();
    List<Propagation> propagation = List.of();
    Optional<MemoryUse> use = Optional.empty();
    BaselineFilesystems baselines = new BaselineFilesystems(narrator, cleanup, folder.root());
    if (memory.isEmpty()) {
      baselines.addAll(beside, peer);
      baselines.addOurs(beside, demo, cast, folder);
      rows = Pair.of(measure(narrator, cleanup, mount, baselines.places()));
      propagation = propagation(narrator, cleanup, folder, mount);
    } else {
      ManyFiles files = new ManyFiles(narrator, cast, mount.root(), memory.getAsLong(), fileBytes);
      cleanup.add("stop creating files", files::stop);
      use = Optional.of(files.run());
    }
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    Report report = new Report(load, workers, rows, propagation, baselines.leftOut(), use);
    return new SuiteResult(
        load.average(),
        report.ratios(),
        List.of(),
        JsonReport.render(report),
        TextReport.render(report));
  }

  /** All of them: the others replicate what is done through one mount. */
  static Map<String, Long> daemons(Demo.Cast cast) {
    Map<String, Long> daemons = new LinkedHashMap<>();
    daemons.put("leader", cast.leader().pid());
    cast.workers().forEach((name, worker) -> daemons.put("worker " + name, worker.pid()));
    return daemons;
  }

  private List<Propagation> propagation(
      Narrator narrator, Cleanup cleanup, DemoFolder folder, MeasuredFilesystem mount)
      throws IOException, InterruptedException {
    Optional<MeasuredFilesystem> other = workers.other(folder);
    if (other.isEmpty()) {
      return List.of();
    }
    narrator.say("looking how soon the other mount shows a change");
    AtomicBoolean stopped = new AtomicBoolean();
    cleanup.add("stop looking", () -> stopped.set(true));
    return Propagation.measure(mount.root(), other.get().root(), stopped::get);
  }

  private List<Sample> measure(
      Narrator narrator, Cleanup cleanup, MeasuredFilesystem mount, List<MeasuredFilesystem> others)
      throws IOException, InterruptedException {
    Meter meter =
        new Meter((long) (seconds * WARM_UP_SHARE * NS_PER_S), (long) (seconds * NS_PER_S));
    Meter brief = new Meter(0, BRIEF_NS);
    for (Meter each : List.of(meter, brief)) {
      cleanup.add("stop measuring", each::stop);
    }
    warmUp(narrator, cleanup, mount);
    warmUpOurs(narrator, cleanup, others);
    Bench bench = new Bench(narrator, meter, brief);
    List<MeasuredFilesystem> places = new ArrayList<>(List.of(mount));
    places.addAll(others);
    return bench.run(operations, threads, places);
  }

  /** The same for other mounts of the workspace, which have daemons of their own. */
  static void warmUpOurs(Narrator narrator, Cleanup cleanup, List<MeasuredFilesystem> others)
      throws IOException, InterruptedException {
    for (MeasuredFilesystem place : others) {
      if (place.kind().isOurs()) {
        warmUp(narrator, cleanup, place);
      }
    }
  }

  /** Has the daemons' hot code compiled before anything is measured. */
  static void warmUp(Narrator narrator, Cleanup cleanup, MeasuredFilesystem mount)
      throws IOException, InterruptedException {
    Meter once = new Meter(0, WARM_UP_NS);
    cleanup.add("stop warming up", once::stop);
    narrator.say("warming up");
    Bench.warmUp(once, mount);
  }
}

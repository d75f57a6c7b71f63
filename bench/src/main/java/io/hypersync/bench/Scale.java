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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The suite of scale: a leader and workers as processes, measured with an empty workspace and with
 * many files in it.
 *
 * @param wantedFiles about how many
 * @param before the launcher of another build, whose memory and restart are measured, too
 */
record Scale(long wantedFiles, Optional<Path> before) {
  static final long USUAL_FILES = 20_000;

  /** With fewer there would not be 1,000 to change. */
  static final long LEAST_FILES = 4_000;

  private static final String WORKER = "a";
  private static final String NEW_WORKER = "b";
  private static final String LATE_WORKER = "c";

  /** The fewest entries of all with which a new worker takes a snapshot: those of one directory. */
  private static final List<String> LEADER_SETTINGS =
      List.of("hypersync.snapshots.catchup_log_threshold_entries=1000");

  private static final int CHANGED = 1_000;
  private static final int SNAPSHOTS = 3;
  private static final int RESTARTS = 3;
  private static final int ROUNDS = 15;
  private static final long TURN_NS = 2_000_000_000L;
  private static final int BETWEEN_SNAPSHOTS_MS = 1_000;
  private static final double TAIL = 99;
  private static final Duration LIMIT = Duration.ofMinutes(60);
  private static final double NS_PER_S = 1e9;

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    long files = Filler.files(wantedFiles);
    Optional<ScaleFound.Side> old = Optional.empty();
    if (before.isPresent()) {
      narrator.say("the version before: %s", before.get());
      DemoFolder own = DemoFolder.create(folder.root());
      try (Cleanup undo = new Cleanup(narrator)) {
        cleanup.add("stop the version before", undo::undo);
        old =
            Optional.of(new Stage(narrator, undo, own, files, extras().from(before.get())).side());
      }
      own.delete();
    }
    Stage stage = new Stage(narrator, cleanup, folder, files, extras());
    ScaleFound found = stage.all(old);
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return ScaleReport.of(load, found);
  }

  private static Demo.Extras extras() {
    return Demo.Extras.settings(LEADER_SETTINGS, List.of());
  }

  /** A workspace that is measured empty, filled, and measured again. */
  private static final class Stage {
    private final Narrator narrator;
    private final Cleanup cleanup;
    private final DemoFolder folder;
    private final long files;
    private final Demo.Extras extras;
    private final Demo demo;
    private final Demo.Cast cast;
    private long fillNs;

    Stage(Narrator narrator, Cleanup cleanup, DemoFolder folder, long files, Demo.Extras extras)
        throws IOException, InterruptedException {
      this.narrator = narrator;
      this.cleanup = cleanup;
      this.folder = folder;
      this.files = files;
      this.extras = extras;
      this.demo = new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()));
      this.cast = demo.start(NewIds.workspace(), List.of(WORKER), extras);
    }

    /** Memory and restarts alone. */
    ScaleFound.Side side() throws IOException, InterruptedException {
      return filled(fastest(cast.leader()), fastest(worker()));
    }

    ScaleFound all(Optional<ScaleFound.Side> before) throws IOException, InterruptedException {
      Restart emptyLeader = fastest(cast.leader());
      Restart emptyWorker = fastest(worker());
      FirstList empty = FirstList.measure(demo, cast, folder, NEW_WORKER, extras, "");
      ScaleFound.Side now = filled(emptyLeader, emptyWorker);
      RandomChmod chmod =
          new RandomChmod(number -> Filler.file(folder.mount(WORKER), number), files);
      cleanup.add("stop changing files", chmod::stop);
      List<SnapshotCost> snapshots = snapshots(chmod);
      List<Double> writers = writers(chmod);
      narrator.say("starting the leader with all these entries");
      Restart late = fastest(cast.leader());
      narrator.say("a new worker");
      var _ = SnapshotCost.take(cast.leader());
      Path mount = folder.mount(WORKER);
      String below = mount.relativize(Filler.file(mount, 0).getParent()).toString();
      FirstList full = FirstList.measure(demo, cast, folder, LATE_WORKER, extras, below);
      return new ScaleFound(
          files, fillNs, full.entries(), now, late, before, snapshots, writers, empty, full);
    }

    private ScaleFound.Side filled(Restart emptyLeader, Restart emptyWorker)
        throws IOException, InterruptedException {
      fill();
      ResidentMemory leaderMemory = ResidentMemory.of(cast.leader().pid());
      ResidentMemory workerMemory = ResidentMemory.of(worker().pid());
      narrator.say("starting the daemons again");
      Restart leader = fastest(cast.leader());
      Restart worker = fastest(worker());
      return new ScaleFound.Side(
          emptyLeader, emptyWorker, leader, worker, leaderMemory, workerMemory);
    }

    private ChildDaemon worker() {
      return cast.workers().firstEntry().getValue();
    }

    private void fill() throws IOException, InterruptedException {
      narrator.say("making %s files", Quantities.count(files));
      Path scratch = Files.createDirectory(folder.root().resolve("fill"));
      long beganNs = System.nanoTime();
      try (Filler filler = new Filler(narrator, cast, scratch)) {
        cleanup.add("stop making files", filler::close);
        filler.fill(files);
      }
      fillNs = System.nanoTime() - beganNs;
      narrator.say("made them in %.1f s", fillNs / NS_PER_S);
      settle();
    }

    private void settle() throws InterruptedException {
      long commitIndex = cast.leader().status().path("commit_index").asLong();
      var _ =
          worker()
              .await(
                  "catch up",
                  status ->
                      status.path("applied_index").asLong() >= commitIndex
                          && !status.path("read_only").asBoolean(),
                  LIMIT);
    }

    /** The fastest of some restarts after SIGTERM: others were disturbed. */
    private Restart fastest(ChildDaemon daemon) throws IOException, InterruptedException {
      List<Restart> all = new ArrayList<>();
      for (int i = 0; i < RESTARTS; i++) {
        all.add(Restart.of(daemon, Restart.How.STOPPED));
        settle();
      }
      return all.stream().min(Comparator.comparingLong(Restart::wallNs)).orElseThrow();
    }

    private List<SnapshotCost> snapshots(RandomChmod chmod)
        throws IOException, InterruptedException {
      narrator.say("the first snapshot");
      var _ = SnapshotCost.take(cast.leader());
      List<SnapshotCost> all = new ArrayList<>();
      for (int i = 0; i < SNAPSHOTS; i++) {
        chmod.change(CHANGED);
        settle();
        all.add(SnapshotCost.measure(cast.leader()));
      }
      return all;
    }

    private List<Double> writers(RandomChmod chmod) throws IOException, InterruptedException {
      narrator.say("changing files without and with a snapshot each second");
      var _ = chmod.measure(TURN_NS); // for the compilers
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        boolean quietFirst = i % 2 == 0;
        double first = p99(quietFirst ? chmod.measure(TURN_NS) : beside(chmod));
        double second = p99(quietFirst ? beside(chmod) : chmod.measure(TURN_NS));
        ratios.add(quietFirst ? second / first : first / second);
      }
      return ratios;
    }

    private static double p99(Histogram ns) {
      return ns.getValueAtPercentile(TAIL);
    }

    /** Changes files while snapshots are taken. */
    private Histogram beside(RandomChmod chmod) throws IOException, InterruptedException {
      AtomicBoolean ended = new AtomicBoolean();
      AtomicReference<@Nullable UserError> failure = new AtomicReference<>();
      Thread taking =
          Thread.ofPlatform()
              .name("bench-snapshots")
              .daemon()
              .start(
                  () -> {
                    try {
                      while (!ended.get()) {
                        var _ = SnapshotCost.take(cast.leader());
                        Thread.sleep(BETWEEN_SNAPSHOTS_MS);
                      }
                    } catch (UserError e) {
                      failure.set(e);
                    } catch (InterruptedException stopped) {
                      Thread.currentThread().interrupt();
                    }
                  });
      Histogram found = chmod.measure(TURN_NS);
      ended.set(true);
      taking.join();
      UserError failed = failure.get();
      if (failed != null) {
        throw failed;
      }
      return found;
    }
  }
}

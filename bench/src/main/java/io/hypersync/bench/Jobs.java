package io.hypersync.bench;

import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The suite of whole jobs: a leader and workers as processes; programs run through a mount, and on
 * other filesystems on the leader's disk.
 *
 * @param workers how many
 * @param jobs which, in their order
 * @param beside the other filesystems to measure
 * @param peer the script that sets up a networked filesystem, if one is wanted
 */
record Jobs(
    Workers workers, List<Job> jobs, Set<MeasuredFilesystem.Kind> beside, Optional<Path> peer) {
  private static final double NS_PER_S = 1e9;

  /**
   * Checks that the programs for the jobs are installed.
   *
   * @throws UserError if one is missing
   */
  static void requirePrograms() {
    for (String program : List.of("git", "tar", "find", "grep")) {
      if (!Command.exists(program)) {
        throw new UserError(
            program + " is not installed", "Install it: apt-get install " + program);
      }
    }
  }

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    Demo demo = new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()));
    Demo.Cast cast =
        demo.start(NewIds.workspace(), workers.names(), BaselineFilesystems.extras(beside));
    MeasuredFilesystem mount = workers.measured(folder);
    BaselineFilesystems baselines = new BaselineFilesystems(narrator, cleanup, folder.root());
    baselines.addAll(beside, peer);
    baselines.addOurs(beside, demo, cast, folder);
    EndToEnd.warmUp(narrator, cleanup, mount);
    EndToEnd.warmUpOurs(narrator, cleanup, baselines.places());
    Programs programs = new Programs();
    cleanup.add("end what is at work", programs::stop);
    narrator.say("making repositories and archives");
    Path folders = Files.createDirectory(folder.root().resolve("jobs"));
    JobMaterial other = JobMaterial.make(programs, folders.resolve("warm-up"), 1);
    JobMaterial material = JobMaterial.make(programs, folders.resolve("measured"), 2);
    List<JobRun> runs = new ArrayList<>();
    runs.add(new JobRun(mount, material, programs));
    for (MeasuredFilesystem place : baselines.places()) {
      if (Arrays.stream(Job.values()).anyMatch(job -> job.isDoneIn(place.kind()))) {
        runs.add(new JobRun(place, material, programs));
      }
    }
    narrator.say("git clone of other files through the mount, once for the compilers");
    // Different files, because chunk stores do not write chunks again that they have.
    MeasuredFilesystem aside = new MeasuredFilesystem(mount.kind(), mount.root().resolve("other"));
    var _ = new JobRun(aside, other, programs).time(Job.CLONE);
    List<String> leftOut = new ArrayList<>(baselines.leftOut());
    List<JobDurations> times = measure(narrator, runs, cast, leftOut);
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return JobReport.of(load, workers, times, leftOut);
  }

  private List<JobDurations> measure(
      Narrator narrator, List<JobRun> runs, Demo.Cast cast, List<String> leftOut)
      throws IOException, InterruptedException {
    List<JobDurations> all = new ArrayList<>();
    for (Job job : doable(leftOut)) {
      Map<MeasuredFilesystem.Kind, List<Long>> found = new EnumMap<>(MeasuredFilesystem.Kind.class);
      // One place right after another, so that a disturbance of the machine affects all places
      // alike.
      for (int round = 0; round < job.rounds(); round++) {
        for (JobRun run : runs) {
          if (job.isDoneIn(run.place())) {
            Demo.settle(cast); // replication to other workers must not slow down the next job
            found.computeIfAbsent(run.place(), _ -> new ArrayList<>()).add(run.time(job));
          }
        }
      }
      Map<MeasuredFilesystem.Kind, Long> medians = new EnumMap<>(MeasuredFilesystem.Kind.class);
      found.forEach((place, ns) -> medians.put(place, median(ns)));
      all.add(new JobDurations(job, medians));
      List<String> parts = new ArrayList<>();
      medians.forEach(
          (place, ns) ->
              parts.add(String.format(Locale.ROOT, "%s %.3f s", place.label(), ns / NS_PER_S)));
      narrator.say("%s: %s", job.title(), String.join(", ", parts));
    }
    return all;
  }

  private List<Job> doable(List<String> leftOut) {
    List<Job> doable = new ArrayList<>(jobs);
    if (!KernelCacheDropper.canBeDropped() && doable.remove(Job.LARGE_READ_COLD)) {
      leftOut.add(
          Job.LARGE_READ_COLD.key() + " is left out: /proc/sys/vm/drop_caches cannot be written");
    }
    return doable;
  }

  private static long median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}

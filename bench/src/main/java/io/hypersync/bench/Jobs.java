package io.hypersync.bench;

import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.wire.admin.RunDirectory;
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
 * The suite of whole jobs: a leader and two workers as processes; programs work through a mount,
 * and on other filesystems on the leader's disk.
 *
 * @param jobs which, in their order
 * @param beside on which other filesystems
 * @param peer the script that sets up a networked one, if one is wanted
 */
record Jobs(List<Job> jobs, Set<Place.Kind> beside, Optional<Path> peer) {
  private static final double NS_PER_S = 1e9;

  /** Measures in this folder; what it leaves is the cleanup's. */
  Findings run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    var _ =
        new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
            .start(NewIds.workspace());
    Place mount = new Place(Place.Kind.HYPERSYNC, folder.mount("a").resolve("bench"));
    Neighbours neighbours = new Neighbours(narrator, cleanup, folder.root());
    neighbours.addAll(beside, peer);
    EndToEnd.warmUp(narrator, cleanup, mount);
    narrator.say("making a repository and an archive");
    JobMaterial material = JobMaterial.make(Files.createDirectory(folder.root().resolve("jobs")));
    List<JobRun> runs = new ArrayList<>();
    runs.add(new JobRun(mount, material));
    for (Place place : neighbours.places()) {
      if (Arrays.stream(Job.values()).anyMatch(job -> job.isDoneIn(place.kind()))) {
        runs.add(new JobRun(place, material));
      }
    }
    for (JobRun run : runs) {
      cleanup.add("end what works in " + run.place().label(), run::stop);
    }
    narrator.say("git clone through the mount, once for the compilers");
    var _ = runs.getFirst().time(Job.CLONE);
    List<JobTimes> times = measure(narrator, runs);
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return JobReport.of(load, times, neighbours.leftOut());
  }

  private List<JobTimes> measure(Narrator narrator, List<JobRun> runs)
      throws IOException, InterruptedException {
    List<JobTimes> all = new ArrayList<>();
    for (Job job : jobs) {
      Map<Place.Kind, List<Long>> found = new EnumMap<>(Place.Kind.class);
      // One place right after the other: what disturbs the machine disturbs all.
      for (int round = 0; round < job.rounds(); round++) {
        for (JobRun run : runs) {
          if (job.isDoneIn(run.place())) {
            found.computeIfAbsent(run.place(), _ -> new ArrayList<>()).add(run.time(job));
          }
        }
      }
      Map<Place.Kind, Long> medians = new EnumMap<>(Place.Kind.class);
      found.forEach((place, ns) -> medians.put(place, median(ns)));
      all.add(new JobTimes(job, medians));
      List<String> parts = new ArrayList<>();
      medians.forEach(
          (place, ns) ->
              parts.add(String.format(Locale.ROOT, "%s %.3f s", place.label(), ns / NS_PER_S)));
      narrator.say("%s: %s", job.title(), String.join(", ", parts));
    }
    return all;
  }

  private static long median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}

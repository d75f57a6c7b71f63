package io.hypersync.bench;

import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The freshness suite: how often the first look through one mount, right after a call through
 * another has returned, shows the state before the call; without other load, and then with writers
 * on both mounts.
 *
 * @param workers how many; changes are made through the first one's mount, looks through the
 *     second's
 */
record FreshnessRun(Workers workers) {
  /** Number of looks of each kind. */
  private static final int TRIES = 200;

  /** Once nothing has changed in a directory for this long, the kernel may cache its names. */
  private static final int QUIET_MS = 1_200;

  /** Pause between tries, so that they do not influence each other. */
  private static final int PAUSE_MS = 2;

  private static final long LIMIT_NS = 10_000_000_000L;

  /** Measures in this directory; {@code cleanup} removes everything afterwards. */
  SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    double loadAtStart = Machine.loadAverage();
    Machine machine = Machine.here(folder.root());
    new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
        .start(NewIds.workspace(), workers.names(), Demo.Extras.NONE);
    MeasuredFilesystem here = workers.measured(folder);
    Path there = workers.other(folder).orElseThrow().root();
    EndToEnd.warmUp(narrator, cleanup, here);
    AtomicBoolean stopped = new AtomicBoolean();
    cleanup.add("stop looking", () -> stopped.set(true));
    narrator.say("looking, with nothing else going on");
    List<LookResult> quiet = looks(here.root().resolve("quiet"), there.resolve("quiet"), stopped);
    Writers writers = new Writers(List.of(here.root(), there));
    cleanup.add("stop writing", writers::stop);
    narrator.say("looking, with %d writers on each mount", Writers.EACH);
    List<LookResult> busy = looks(here.root().resolve("busy"), there.resolve("busy"), stopped);
    writers.stop();
    writers.requireAll();
    Load load = new Load(machine, loadAtStart, Machine.loadAverage());
    return FreshnessReport.of(load, workers, quiet, busy);
  }

  private static List<LookResult> looks(Path here, Path there, AtomicBoolean stopped)
      throws IOException, InterruptedException {
    List<LookResult> results = new ArrayList<>();
    for (FirstLook look : FirstLook.values()) {
      results.add(look(look, here.resolve(look.key()), there.resolve(look.key()), stopped));
    }
    return results;
  }

  private static LookResult look(FirstLook look, Path here, Path there, AtomicBoolean stopped)
      throws IOException, InterruptedException {
    List<FileChannel> files = new ArrayList<>();
    try {
      Files.createDirectories(here);
      for (int i = 0; i < TRIES; i++) {
        Path file = Files.write(here.resolve(FirstLook.OLD + i), new byte[Long.BYTES]);
        files.add(FileChannel.open(file, StandardOpenOption.WRITE));
      }
      long beganNs = System.nanoTime();
      while (!Files.exists(there.resolve(FirstLook.OLD + (TRIES - 1)))) {
        requireTime(look, beganNs);
      }
      Thread.sleep(QUIET_MS);
      for (int i = 0; i < TRIES; i++) {
        Files.readAllBytes(there.resolve(FirstLook.OLD + i));
        look.prepare(there, i);
      }
      return tries(look, here, there, files, stopped);
    } finally {
      for (FileChannel file : files) {
        file.close();
      }
    }
  }

  private static LookResult tries(
      FirstLook look, Path here, Path there, List<FileChannel> files, AtomicBoolean stopped)
      throws IOException, InterruptedException {
    int old = 0;
    long longestNs = 0;
    for (int i = 0; i < TRIES; i++) {
      Thread.sleep(PAUSE_MS);
      if (stopped.get()) {
        throw new InterruptedException("stopped");
      }
      look.change(here, i, files.get(i));
      if (!look.sees(there, i)) {
        long beganNs = System.nanoTime();
        old++;
        while (!look.sees(there, i)) {
          requireTime(look, beganNs);
        }
        longestNs = Math.max(longestNs, System.nanoTime() - beganNs);
      }
    }
    return new LookResult(look, TRIES, old, longestNs);
  }

  private static void requireTime(FirstLook look, long beganNs) throws IOException {
    if (System.nanoTime() - beganNs > LIMIT_NS) {
      throw new IOException(look.title() + " was not seen on the other mount within 10 s");
    }
  }
}

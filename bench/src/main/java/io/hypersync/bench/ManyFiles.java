package io.hypersync.bench;

import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.render.Quantities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Creates many empty files through one mount, looks what the daemons then have in memory, and how
 * long the leader takes to start again.
 */
final class ManyFiles {
  private static final int THREADS = 16;
  private static final int FILES_PER_DIRECTORY = 1_000;
  private static final int STEPS_TO_TELL = 10;
  private static final Duration RESTART_LIMIT = Duration.ofMinutes(10);

  private final Narrator narrator;
  private final Demo.Cast cast;
  private final Path folder;
  private final long files;
  private final AtomicLong next = new AtomicLong();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  ManyFiles(Narrator narrator, Demo.Cast cast, Path folder, long files) {
    this.narrator = narrator;
    this.cast = cast;
    this.folder = folder;
    this.files = files;
  }

  /**
   * Makes the files and weighs the daemons.
   *
   * @throws IOException if a file could not be made
   */
  MemoryUse run() throws IOException, InterruptedException {
    Map<String, Long> empty = weigh();
    narrator.say("creating %s files by %d threads", Quantities.count(files), THREADS);
    for (long at = 0; at < files; at += FILES_PER_DIRECTORY) {
      Files.createDirectories(directory(at));
    }
    long beganNs = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().name("bench-files-" + i).daemon().start(this::create));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (stopped) {
      throw new InterruptedException("stopped");
    }
    IOException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    long elapsedNs = System.nanoTime() - beganNs;
    Demo.settle(cast);
    List<MemoryUse.Daemon> daemons = new ArrayList<>();
    weigh()
        .forEach((name, bytes) -> daemons.add(new MemoryUse.Daemon(name, empty.get(name), bytes)));
    narrator.say("killing the leader, and starting it again");
    return new MemoryUse(files, elapsedNs, daemons, cast.leader().killAndRestart(RESTART_LIMIT));
  }

  /** Ends it early. */
  void stop() {
    stopped = true;
  }

  private void create() {
    long tellEvery = Math.max(1, files / STEPS_TO_TELL);
    try {
      for (long i = next.getAndIncrement(); i < files && !stopped; i = next.getAndIncrement()) {
        Files.createFile(directory(i).resolve("f" + i));
        if (i > 0 && i % tellEvery == 0) {
          narrator.say("%s files", Quantities.count(i));
        }
      }
    } catch (IOException e) {
      failure.compareAndSet(null, e);
      next.set(files);
    }
  }

  private Path directory(long file) {
    return folder.resolve("d" + file / FILES_PER_DIRECTORY);
  }

  private Map<String, Long> weigh() {
    Map<String, Long> resident = new LinkedHashMap<>();
    resident.put("leader", MemoryUse.residentBytes(cast.leader().pid()));
    cast.workers()
        .forEach(
            (name, worker) ->
                resident.put("worker " + name, MemoryUse.residentBytes(worker.pid())));
    return resident;
  }
}

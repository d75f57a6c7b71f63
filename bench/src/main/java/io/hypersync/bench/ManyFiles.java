package io.hypersync.bench;

import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.render.Quantities;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Creates many files through one mount, measures the daemons' memory and how long the leader takes
 * to restart.
 */
final class ManyFiles {
  private static final int THREADS = 16;
  private static final int FILES_PER_DIRECTORY = 1_000;
  private static final int STEPS_TO_TELL = 10;

  /** A daemon returns free heap after a minute without work, and needs some seconds for that. */
  private static final Duration REST = Duration.ofSeconds(90);

  private static final Duration RESTART_LIMIT = Duration.ofMinutes(10);

  private final Narrator narrator;
  private final Demo.Cast cast;
  private final Path folder;
  private final long files;
  private final int fileBytes;
  private final AtomicLong next = new AtomicLong();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /**
   * Creates the measurement; no file is created yet.
   *
   * @param folder the directory for the files, on a mount
   * @param files how many
   * @param fileBytes size of each file: 0, or {@value MemoryUse#MIN_FILE_BYTES} to {@value
   *     MemoryUse#MAX_FILE_BYTES}, with contents that differ between all files
   */
  ManyFiles(Narrator narrator, Demo.Cast cast, Path folder, long files, int fileBytes) {
    this.narrator = narrator;
    this.cast = cast;
    this.folder = folder;
    this.files = files;
    this.fileBytes = fileBytes;
  }

  /**
   * Creates the files and measures the daemons.
   *
   * @throws IOException if a file cannot be created
   * @throws InterruptedException also after {@link #stop}
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
    Map<String, Long> full = weigh();
    narrator.say("waiting %d s, until the daemons rest", REST.toSeconds());
    Thread.sleep(REST);
    List<MemoryUse.Daemon> daemons = new ArrayList<>();
    weigh()
        .forEach(
            (name, bytes) ->
                daemons.add(new MemoryUse.Daemon(name, empty.get(name), full.get(name), bytes)));
    narrator.say("killing the leader, and starting it again");
    boolean cold = KernelCacheDropper.canBeDropped();
    long restartNs = cast.leader().killAndRestart(RESTART_LIMIT, () -> forget(cold));
    return new MemoryUse(files, fileBytes, elapsedNs, daemons, restartNs, cold);
  }

  /**
   * Drops the kernel's caches. Runs while there is no leader, because the kernel keeps pages that a
   * process has mapped.
   */
  private static void forget(boolean can) throws IOException, InterruptedException {
    if (can) {
      var _ = Command.run("sync");
      KernelCacheDropper.drop();
    }
  }

  /** Stops creating files; {@link #run} fails then. */
  void stop() {
    stopped = true;
  }

  private void create() {
    long tellEvery = Math.max(1, files / STEPS_TO_TELL);
    Payload payload = new Payload(Math.max(fileBytes, MemoryUse.MIN_FILE_BYTES));
    try {
      for (long i = next.getAndIncrement(); i < files && !stopped; i = next.getAndIncrement()) {
        create(directory(i).resolve("f" + i), payload);
        if (i > 0 && i % tellEvery == 0) {
          narrator.say("%s files", Quantities.count(i));
        }
      }
    } catch (IOException e) {
      failure.compareAndSet(null, e);
      next.set(files);
    }
  }

  private void create(Path file, Payload payload) throws IOException {
    try (FileChannel made =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      if (fileBytes > 0) {
        FileWork.writeAll(made, payload.next());
      }
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

package io.hypersync.bench;

import io.hypersync.bench.micro.SimulatedWorker;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Makes many empty files fast: simulated workers have a leader commit them, with many intents under
 * way and without mounts. The leader and its real workers do what they do for any file.
 *
 * <p>Directories in the root have {@value #FILES_PER_DIRECTORY} files each: {@link #file}.
 */
final class Filler implements AutoCloseable {
  static final int FILES_PER_DIRECTORY = 1_000;
  private static final int WORKERS = 4;
  private static final int AT_ONCE = 5_000;
  private static final int STEPS_TO_TELL = 10;
  private static final String NAME = "fill";
  private static final int MODE = 0644;

  private final Narrator narrator;
  private final Demo.Cast cast;
  private final Path scratch;
  private final List<SimulatedWorker> workers = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * Creates the workers; none is connected yet.
   *
   * @param scratch an empty directory for their identities
   */
  Filler(Narrator narrator, Demo.Cast cast, Path scratch) {
    this.narrator = narrator;
    this.cast = cast;
    this.scratch = scratch;
  }

  /** Returns how many files there are for a wanted number: a multiple of what is made at once. */
  static long files(long wanted) {
    long unit = (long) WORKERS * FILES_PER_DIRECTORY;
    return Math.max(1, wanted / unit) * unit;
  }

  /** Returns the path of a file below a mount, by its number from 0. */
  static Path file(Path mount, long number) {
    long inWorker = number / WORKERS;
    long directory = inWorker / FILES_PER_DIRECTORY + 1;
    return mount
        .resolve(NAME + number % WORKERS + "-" + directory)
        .resolve("f" + inWorker % FILES_PER_DIRECTORY);
  }

  /**
   * Makes the files; returns when the leader has committed all of them.
   *
   * @param files as {@link #files} has returned it
   * @throws InterruptedException after {@link #close}
   */
  void fill(long files) throws IOException, InterruptedException {
    long each = files / WORKERS;
    for (int i = 0; i < WORKERS; i++) {
      workers.add(connect(NAME + i));
    }
    for (SimulatedWorker worker : workers) {
      worker.begin(Math.toIntExact(each / FILES_PER_DIRECTORY));
      worker.submit(Filler::create);
    }
    long tellEvery = Math.max(1, each / STEPS_TO_TELL);
    long told = tellEvery;
    for (long made = 0; made < each; made += AT_ONCE) {
      int count = (int) Math.min(AT_ONCE, each - made);
      List<CompletableFuture<Void>> all =
          workers.stream().map(worker -> worker.start(count)).toList();
      all.forEach(SimulatedWorker::await);
      if (stopped) {
        throw new InterruptedException("stopped");
      }
      if (made + count >= told) {
        narrator.say("%s files", Quantities.count((made + count) * WORKERS));
        told += tellEvery;
      }
    }
  }

  /** Returns the op that makes a worker's file of this number, from 0. */
  static FsOp create(List<NodeId> directories, long number) {
    NodeId directory = directories.get(Math.toIntExact(number / FILES_PER_DIRECTORY));
    Name name = Name.of("f" + number % FILES_PER_DIRECTORY);
    return new FsOp.CreateFile(directory, name, MODE, 0, 0);
  }

  private SimulatedWorker connect(String name) throws IOException {
    WorkerId id = new WorkerId(name);
    Path token = cast.workspace().tokenFile(id);
    cast.workspace().writeToken(id, cast.address(), token);
    Path own = Files.createDirectories(scratch.resolve(name));
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag("--mount", Settings.WORKER_MOUNT, own.resolve("mount").toString());
    reader.flag("--token", Settings.WORKER_TOKEN, token.toString());
    reader.flag(
        "--state-dir",
        Settings.WORKER_STATE_DIR,
        Files.createDirectories(own.resolve("state")).toString());
    return new SimulatedWorker(WorkerPlan.options(reader.withoutFile(), new Enrolments(scratch)));
  }

  /** Disconnects the workers. */
  @Override
  public void close() {
    stopped = true;
    workers.forEach(SimulatedWorker::close);
  }
}

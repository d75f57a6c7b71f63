package io.hypersync.bench.micro;

import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.model.id.WorkerId;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.daemon.WorkerRuntime;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * A complete workspace in this process: the leader's daemon, workers with replicas, chunk stores
 * and mounts, and QUIC between them. Closing it unmounts and removes everything; a shutdown hook
 * does the same unless the process is killed.
 *
 * <p>The workers' leader timeout is 15 s instead of 1 s, so that a busy machine does not make
 * mounts read-only.
 */
final class LocalWorkspace implements AutoCloseable {
  private static final long POLL_NS = 20_000;
  private static final long LIMIT_NS = 60_000_000_000L;

  private final Scratch scratch = Scratch.create();
  private final WorkspaceDirectory directory;
  private final LeaderDaemon leader;
  private final HostPort address;
  private final List<Worker> workers = new ArrayList<>();
  private final Thread onExit = new Thread(this::undo, "workspace-exit");
  private boolean closed;

  /** A worker's components without the daemon around them, so that its replica can be observed. */
  static final class Worker implements AutoCloseable {
    private final Path mount;
    private final DiskChunkStore disk;
    private final WriteBehindChunkStore chunks;
    private final WorkerRuntime runtime;

    private Worker(WorkerDaemonOptions options) {
      mount = options.mountPoint();
      disk =
          DiskChunkStore.open(options.stateDir().resolve("chunks"), DiskChunkStoreOptions.DEFAULT);
      chunks = WriteBehindChunkStore.start(disk, "worker-chunks-out");
      runtime = WorkerDaemon.runtime(options, chunks, new CompletableFuture<>());
    }

    /** Returns its mount point, whether mounted or not. */
    Path mount() {
      return mount;
    }

    /** Returns the newest index that is visible at this worker. */
    long index() {
      return runtime.visibleIndex();
    }

    /** Connects, and blocks until everything committed is visible. */
    void join() throws InterruptedException {
      var _ = runtime.join();
    }

    /**
     * Blocks until this entry is visible.
     *
     * @throws IllegalStateException if that takes longer than 60 s
     */
    void await(long index) {
      long untilNs = System.nanoTime() + LIMIT_NS;
      while (runtime.visibleIndex() < index) {
        LockSupport.parkNanos(POLL_NS);
        if (System.nanoTime() - untilNs > 0) {
          throw new IllegalStateException(
              "entry " + index + " has not come; there is " + runtime.visibleIndex());
        }
      }
    }

    @Override
    public void close() {
      runtime.close();
      chunks.close();
      disk.close();
    }
  }

  private LocalWorkspace() {
    directory =
        WorkspaceDirectory.create(
            scratch.root().resolve("workspace"),
            NewIds.workspace(),
            new WorkspaceName("bench"),
            Instant.now(),
            WorkspaceDirectory.saying(new HostPort("127.0.0.1", 0)));
    leader =
        LeaderDaemon.start(
            LeaderPlan.options(
                directory, new ConfigurationReader().withFile(directory.configFile())));
    address = HostPort.parse(leader.status().path("address").asText());
    Runtime.getRuntime().addShutdownHook(onExit);
  }

  /** Creates a workspace and starts its leader. */
  static LocalWorkspace start() {
    if (!Files.isWritable(Path.of("/dev/fuse"))) {
      throw new IllegalStateException("this mounts filesystems: it needs root and /dev/fuse");
    }
    return new LocalWorkspace();
  }

  /**
   * Starts a worker without a mount; returns when it has applied everything committed.
   *
   * @param settings of the worker, each as {@code KEY=VALUE}
   */
  Worker join(String... settings) throws InterruptedException {
    Worker worker = enrol(settings);
    worker.join();
    return worker;
  }

  /**
   * Creates a worker with token, chunk store and transport that has not joined yet.
   *
   * @param settings of the worker, each as {@code KEY=VALUE}
   */
  synchronized Worker enrol(String... settings) {
    Worker worker = new Worker(options(settings));
    workers.add(worker);
    return worker;
  }

  /** Like {@link #join}, and mounts. */
  Worker mount(String... settings) throws InterruptedException {
    Worker worker = join(settings);
    try {
      worker.runtime.mount(
          MountFolder.claim(worker.mount, FuseMountOptions.source(directory.id())));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return worker;
  }

  /** Connects a simulated worker; the caller closes it. */
  SimulatedWorker simulate() {
    return new SimulatedWorker(options());
  }

  /** Closes a worker; its state directory stays until the workspace is closed. */
  synchronized void leave(Worker worker) {
    workers.remove(worker);
    worker.close();
  }

  private WorkerDaemonOptions options(String... settings) {
    try {
      WorkerId id = new WorkerId("w" + System.nanoTime());
      Path token = directory.tokenFile(id);
      directory.writeToken(id, address, token);
      Path own = scratch.folder(id.name());
      ConfigurationReader reader = new ConfigurationReader();
      reader.flag("--mount", Settings.WORKER_MOUNT, own.resolve("mount").toString());
      reader.flag("--token", Settings.WORKER_TOKEN, token.toString());
      reader.flag("--state-dir", Settings.WORKER_STATE_DIR, own.resolve("state").toString());
      reader.flag("--set", Settings.WORKER_LEADER_TIMEOUT, "15s");
      for (String setting : settings) {
        reader.assignment("--set", setting);
      }
      WorkerDaemonOptions options =
          WorkerPlan.options(reader.withoutFile(), new Enrolments(scratch.root()));
      Files.createDirectories(options.stateDir());
      return options;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(onExit);
    undo();
  }

  private synchronized void undo() {
    if (!closed) {
      closed = true;
      workers.forEach(Worker::close);
      leader.close();
      scratch.close();
    }
  }
}

package io.hypersync.cli;

import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.metrics.MetricsEndpoint;
import io.hypersync.cli.metrics.MetricsOptions;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.model.id.WorkerId;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.daemon.WorkerRuntime;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Training run for the daemons' AOT cache: starts a leader on a new workspace and lets one worker
 * join it. The worker does not mount, because mounting needs root. The build runs this class once
 * and the JVM records the classes that were loaded, so daemons start faster.
 */
final class DaemonAotTraining {
  private static final int LIMIT_S = 40;

  private DaemonAotTraining() {}

  /**
   * Runs the training run.
   *
   * @param args one element: an empty directory, in which the daemons leave their files
   */
  public static void main(String[] args) throws Exception {
    var _ = train(Path.of(args[0]));
  }

  /**
   * Runs a leader and a worker in {@code folder} and returns when both have ended.
   *
   * @return the worker's visible index
   * @throws IllegalStateException if the leader ends early or with another exit code than 0
   * @throws TimeoutException if the leader takes longer than {@link #LIMIT_S} to start or to end
   */
  static long train(Path folder)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    WorkspaceDirectory workspace =
        WorkspaceDirectory.create(
            folder.resolve("workspace"),
            NewIds.workspace(),
            new WorkspaceName("training"),
            Instant.now(),
            WorkspaceDirectory.saying(new HostPort("127.0.0.1", 0)));
    CompletableFuture<LeaderDaemon> leading = new CompletableFuture<>();
    CompletableFuture<Integer> ended = CompletableFuture.supplyAsync(() -> lead(folder, leading));
    CompletableFuture.anyOf(leading, ended).get(LIMIT_S, TimeUnit.SECONDS);
    if (!leading.isDone()) {
      throw new IllegalStateException("the leader ended with " + ended.join());
    }
    long applied;
    try (LeaderDaemon leader = leading.join()) {
      HostPort address = HostPort.parse(leader.status().path("address").asText());
      scrape(leader);
      WorkerId worker = new WorkerId("worker");
      Path token = workspace.tokenFile(worker);
      workspace.writeToken(worker, address, token);
      applied = join(folder, token);
    }
    int exitCode = ended.get(LIMIT_S, TimeUnit.SECONDS);
    if (exitCode != 0) {
      throw new IllegalStateException("the leader ended with " + exitCode);
    }
    return applied;
  }

  /**
   * Runs the {@code leader} command, so that its classes are recorded, too; returns its exit code.
   */
  private static int lead(Path folder, CompletableFuture<LeaderDaemon> leading) {
    return Main.commandLine(
            "leader",
            options -> start(options, leading),
            _ -> {
              throw new IllegalStateException("no worker is trained by its command");
            })
        .execute("leader", "--dir", folder.resolve("workspace").toString());
  }

  /** Shows the leader's metrics once, on any free port. */
  private static void scrape(LeaderDaemon leader) throws IOException, InterruptedException {
    InetAddress here = InetAddress.getLoopbackAddress();
    MetricsOptions options =
        new MetricsOptions(new InetSocketAddress(here, 0), 1, Optional.empty());
    try (MetricsEndpoint endpoint = MetricsEndpoint.begin(options, leader::measured)) {
      endpoint.daemonIsReady();
      long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
      while (endpoint.url().isEmpty() && System.nanoTime() < untilNs) {
        Thread.sleep(10);
      }
      URI url = URI.create(endpoint.url().orElseThrow(IllegalStateException::new));
      try (Socket socket = new Socket(here, url.getPort())) {
        socket
            .getOutputStream()
            .write(
                "GET /metrics HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      }
    }
  }

  private static LeaderDaemon start(
      LeaderDaemonOptions options, CompletableFuture<LeaderDaemon> leading) {
    LeaderDaemon leader = LeaderDaemon.start(options);
    leading.complete(leader);
    return leader;
  }

  /** Runs a worker up to the point where it would mount; returns its visible index. */
  private static long join(Path folder, Path token) throws IOException, InterruptedException {
    ConfigurationReader reader = new ConfigurationReader();
    reader.flag("--mount", Settings.WORKER_MOUNT, folder.resolve("mount").toString());
    reader.flag("--token", Settings.WORKER_TOKEN, token.toString());
    reader.flag("--state-dir", Settings.WORKER_STATE_DIR, folder.resolve("state").toString());
    WorkerDaemonOptions options =
        WorkerPlan.options(reader.withoutFile(), new Enrolments(folder.resolve("enrolments")));
    Path chunkDir = Files.createDirectories(options.stateDir()).resolve("chunks");
    try (DiskChunkStore disk = DiskChunkStore.open(chunkDir, DiskChunkStoreOptions.DEFAULT);
        WriteBehindChunkStore chunks = WriteBehindChunkStore.start(disk, "worker-chunks-out");
        WorkerRuntime worker = WorkerDaemon.runtime(options, chunks, new CompletableFuture<>())) {
      var _ = worker.join();
      return worker.visibleIndex();
    }
  }
}

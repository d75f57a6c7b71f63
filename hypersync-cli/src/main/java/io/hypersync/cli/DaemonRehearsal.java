package io.hypersync.cli;

import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.model.id.WorkerId;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.daemon.WorkerRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Leads a new workspace for a moment, and has a worker join it, which mounts nothing. The build
 * runs it once and has the Java machine keep what it loaded on the way: daemons do not load it
 * again.
 */
final class DaemonRehearsal {
  private static final int LIMIT_S = 40;

  private DaemonRehearsal() {}

  /** Takes an empty folder, where its daemons leave what they need. */
  public static void main(String[] args) throws Exception {
    var _ = rehearse(Path.of(args[0]));
  }

  /**
   * Returns when its daemons have come to their end.
   *
   * @return the entry that the worker had applied
   * @throws IllegalStateException if one did not do as it should
   */
  static long rehearse(Path folder)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    WorkspaceDirectory workspace =
        WorkspaceDirectory.create(
            folder.resolve("workspace"),
            NewIds.workspace(),
            new WorkspaceName("rehearsal"),
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

  /** By its command, as a daemon is; returns its exit code. */
  private static int lead(Path folder, CompletableFuture<LeaderDaemon> leading) {
    return Main.commandLine(
            "leader",
            options -> start(options, leading),
            _ -> {
              throw new IllegalStateException("no worker is rehearsed by its command");
            })
        .execute("leader", "--dir", folder.resolve("workspace").toString());
  }

  private static LeaderDaemon start(
      LeaderDaemonOptions options, CompletableFuture<LeaderDaemon> leading) {
    LeaderDaemon leader = LeaderDaemon.start(options);
    leading.complete(leader);
    return leader;
  }

  /** Replicates what there is: as the worker does before it mounts, which takes root. */
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
        WorkerRuntime worker = new WorkerRuntime(options, chunks, new CompletableFuture<>())) {
      worker.join();
      return worker.appliedIndex();
    }
  }
}

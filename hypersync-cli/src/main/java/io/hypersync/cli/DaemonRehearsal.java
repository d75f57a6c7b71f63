package io.hypersync.cli;

import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.daemon.WorkerRuntime;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine;

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
    Path workspace = folder.resolve("workspace");
    require(
        run(LeaderDaemon::start, "init", workspace.toString(), "--bind", "127.0.0.1:0"), "init");
    CompletableFuture<LeaderDaemon> leading = new CompletableFuture<>();
    CompletableFuture<Integer> ended =
        CompletableFuture.supplyAsync(
            () -> run(options -> start(options, leading), "leader", "--dir", workspace.toString()));
    CompletableFuture.anyOf(leading, ended).get(LIMIT_S, TimeUnit.SECONDS);
    require(leading.isDone() ? 0 : ended.join(), "leader");
    long applied;
    try (LeaderDaemon leader = leading.join()) {
      Path token = folder.resolve("worker.token");
      String address = leader.status().path("address").asText();
      require(
          run(
              LeaderDaemon::start,
              "token",
              "worker",
              "--dir",
              workspace.toString(),
              "--leader-address",
              address,
              "--out",
              token.toString()),
          "token");
      applied = join(folder, token);
    }
    require(ended.get(LIMIT_S, TimeUnit.SECONDS), "leader");
    return applied;
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

  private static int run(DaemonStarter<LeaderDaemonOptions> leader, String... words) {
    CommandLine line =
        Main.commandLine(
            words[0],
            leader,
            _ -> {
              throw new IllegalStateException("no worker is rehearsed by its command");
            });
    line.setOut(Main.writer(OutputStream.nullOutputStream()));
    line.setErr(Main.writer(System.err));
    return line.execute(words);
  }

  private static void require(int exitCode, String command) {
    if (exitCode != 0) {
      throw new IllegalStateException("'" + command + "' ended with " + exitCode);
    }
  }
}

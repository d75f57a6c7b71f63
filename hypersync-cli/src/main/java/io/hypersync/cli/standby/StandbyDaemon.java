package io.hypersync.cli.standby;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.standby.LeftBehind;
import io.hypersync.leader.standby.StandbyLog;
import io.hypersync.leader.standby.Waited;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundStatus;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.WorkerTuning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Follows a leader with all that a leader keeps. */
public final class StandbyDaemon implements Daemon {
  /** What a worker says of its mount. */
  private static final List<String> OF_MOUNTS =
      List.of(
          "mount",
          "local",
          "mounted",
          "fuse_backend",
          "generation",
          "outlives_worker",
          "kernel_inodes",
          "kernel_requests",
          "open_handles",
          "requests_in_flight",
          "reads_that_fetched",
          "o_direct_opens",
          "inotify",
          "agents",
          "past_mounts",
          "ignored",
          "read_only",
          "commit_latency_us_p50",
          "commit_latency_us_p99",
          "stages");

  private static final int MOST_FOLDERS = 20;

  private final WorkerDaemon worker;
  private final StandbyLog log;
  private final Path stateDir;
  private final BackgroundTurns turns;
  private final KnownCompleteness completeness;

  private StandbyDaemon(WorkerDaemon worker, StandbyLog log, Path stateDir, BackgroundTurns turns) {
    this.turns = turns;
    this.worker = worker;
    this.log = log;
    this.stateDir = stateDir;
    this.completeness = new KnownCompleteness(worker::hasAllChunks, Clock.SYSTEM);
  }

  /**
   * Prepares a standby; {@link #awaitReady} joins the workspace.
   *
   * @param options mount point and local directory are not used
   * @throws UserError if the state directory is in use, a leader's, or unusable
   */
  public static StandbyDaemon start(WorkerDaemonOptions options) {
    AtomicReference<StandbyLog> opened = new AtomicReference<>();
    WorkerDaemon worker =
        WorkerDaemon.standby(
            options,
            (chunks, failed) -> {
              StandbyLog log =
                  StandbyLog.open(options.stateDir(), options.workspace(), chunks, failed);
              opened.set(log);
              return new MirroredLog(log);
            });
    return new StandbyDaemon(worker, opened.get(), options.stateDir(), options.background());
  }

  @Override
  public void awaitReady() throws InterruptedException {
    worker.awaitReady();
  }

  @Override
  public void beat() {
    worker.beat();
  }

  /**
   * Has it take up what has changed.
   *
   * @throws UserError if its agent does not answer
   */
  public void tune(WorkerTuning changed) {
    worker.tune(changed);
  }

  @Override
  public ObjectNode status() {
    ObjectNode status = asStandby(worker.status(), completeness.now());
    leftBehind(status);
    return status;
  }

  /** Asks no disk, and the agent once; see {@link KnownCompleteness}. */
  @Override
  public List<ObjectNode> measured() {
    return worker.measured().stream()
        .map(figures -> asStandby(figures, completeness.lately(figures)))
        .toList();
  }

  private ObjectNode asStandby(ObjectNode status, boolean hasAllChunks) {
    status.remove(OF_MOUNTS);
    boolean isComplete = hasAllChunks && log.couldLead();
    status.put("role", "standby");
    status.set("background", BackgroundStatus.json(turns));
    status.put("complete", isComplete);
    status.put("synced_index", log.syncedIndex());
    status.put("log_first_index", log.firstIndex());
    Waited waited = log.waited();
    status.put("waited", waited.state() != Waited.State.NO);
    status.put("synchronous", waited.state() == Waited.State.SYNCHRONOUS);
    status.put(
        "alone_after_ms", waited.aloneAfterMs() == 0 ? null : (Integer) waited.aloneAfterMs());
    status.put("loss", waited.loss().text());
    long lag = Math.max(0, status.path("commit_index").asLong() - log.syncedIndex());
    // A leader that is away may have committed more, or may have been cut off and go on.
    status.put("lag_entries", status.path("connected").asBoolean() ? (Long) lag : null);
    return status;
  }

  /** What only this state has, of a time when it was led and another leader had taken over. */
  private void leftBehind(ObjectNode status) {
    status.put("rejoining", log.isRejoining());
    ArrayNode folders = status.putArray("left_behind");
    try {
      List<Path> all = LeftBehind.folders(stateDir);
      all.subList(Math.max(0, all.size() - MOST_FOLDERS), all.size())
          .forEach(folder -> folders.add(folder.toString()));
    } catch (IOException e) {
      status.put("left_behind_error", FileProblems.describe(e));
    }
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    return Map.of();
  }

  @Override
  public CompletableFuture<Void> ended() {
    return worker.ended();
  }

  @Override
  public void close() {
    worker.close();
  }
}

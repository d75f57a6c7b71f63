package io.hypersync.cli.runtime;

import io.hypersync.cli.Version;
import io.hypersync.cli.practice.Practice;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.wire.message.Protocol;
import io.hypersync.worker.SelfTest;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.takeover.KeeperClient;
import io.hypersync.worker.takeover.SuccessorBuild;
import io.hypersync.worker.takeover.TakeoverOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker does before it starts if its mount is served or kept already (decision 053).
 *
 * <ul>
 *   <li>Started beside the worker that serves it: tries itself, practises, and waits until that one
 *       has ended.
 *   <li>The worker has died: callers wait, so it does not practise.
 * </ul>
 */
public final class SuccessorTurn {
  private static final Logger LOG = LoggerFactory.getLogger(SuccessorTurn.class);

  private static final Duration SILENCE_LIMIT = Duration.ofSeconds(5);
  private static final Duration PROBE_LIMIT = Duration.ofMillis(200);

  private SuccessorTurn() {}

  /**
   * Waits until the mount is this process's to take.
   *
   * @param usual how it would practise otherwise
   * @return how it practises from now on
   * @throws UserError if it does not get the mount
   */
  public static Practising await(WorkerDaemonOptions options, Practising usual)
      throws InterruptedException {
    if (options.takeover().isEmpty()) {
      return usual;
    }
    TakeoverOptions takeover = options.takeover().get();
    Optional<KeeperClient.Waiting> found;
    try {
      found = KeeperClient.waiting(takeover.socket());
    } catch (IOException e) {
      throw new UserError(
          "the process that keeps the mount is not understood: " + e.getMessage(),
          "See: ./hypersync status");
    }
    if (found.isEmpty()) {
      return KeeperClient.waitsWith(takeover.socket(), options.mountPoint())
          ? Practising.NOT
          : usual;
    }
    try (KeeperClient.Waiting waiting = found.get()) {
      await(waiting, options, usual.limit());
    }
    awaitSilence(
        RunDirectory.of(System.getenv()).workerSocket(options.workspace(), options.worker()));
    return Practising.NOT;
  }

  /**
   * The kernel closes what a process had open one after the other: the keeper may know of its end
   * before its admin socket is gone.
   */
  private static void awaitSilence(Path socket) throws InterruptedException {
    long limitNs = System.nanoTime() + SILENCE_LIMIT.toNanos();
    AdminClient client = new AdminClient(socket, PROBE_LIMIT);
    while (!(client.ask("ping") instanceof AdminClient.Reply.Dead)
        && System.nanoTime() - limitNs < 0) {
      Thread.sleep(1);
    }
  }

  private static void await(
      KeeperClient.Waiting waiting, WorkerDaemonOptions options, Duration practising)
      throws InterruptedException {
    FaultPoints faults = FaultPoints.configured();
    try (Practice practice = Practice.begin(practising)) {
      SelfTest.run(options, waiting);
      practice.await();
    } catch (RuntimeException e) {
      waiting.failed(String.valueOf(e.getMessage()));
      throw e;
    }
    faults.reached(FaultPoints.Moment.TURN_AWAITED);
    LOG.info("ready to take {} over", options.mountPoint());
    try {
      waiting.awaitTurn(new SuccessorBuild(Version.text(), Protocol.REVISION));
    } catch (IOException e) {
      throw new UserError(
          "the worker goes on, and this process is not needed: " + e.getMessage(), "");
    }
    faults.reached(FaultPoints.Moment.TURN_CAME);
  }

  /** Tells the keeper that may have started this process why it cannot take its mount over. */
  public static void tellFailure(RunDirectory directory, UserError why) {
    for (Path keeper : directory.keeperSockets()) {
      KeeperClient.tellFailure(keeper, why.message());
    }
  }
}

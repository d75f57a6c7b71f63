package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.port.RestoreHoldPort;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RestoresFile;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the file of held restores. */
final class RestoreHoldThread implements RestoreHoldPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreHoldThread.class);

  private final RestoresFile file;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-restores").daemon().factory());

  /**
   * Writes one file.
   *
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   */
  RestoreHoldThread(RestoresFile file, Consumer<Consumer<LeaderAgent>> post) {
    this.file = file;
    this.post = post;
  }

  @Override
  public void write(List<HeldRestore> held) {
    try {
      thread.execute(() -> written(held));
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  /** Always gives an answer: nothing else is written until it arrives. */
  private void written(List<HeldRestore> held) {
    try {
      file.write(held);
      post.accept(leader -> leader.restores().written());
    } catch (IOException | RuntimeException e) {
      String why = FileProblems.describe(e);
      LOG.warn("{} cannot be written: {}", file, why);
      post.accept(leader -> leader.restores().notWritten(why, Clock.SYSTEM.monotonicNs()));
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}

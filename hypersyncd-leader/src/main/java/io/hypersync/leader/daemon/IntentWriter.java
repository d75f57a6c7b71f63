package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.port.IntentWritePort;
import io.hypersync.leader.sequencer.IntentBatch;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.model.errno.Errno;
import io.hypersync.runtime.admin.UserError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes committed intents to their store, on a thread of its own. While the disk is full or slow
 * it tries again; any other failure ends the leader.
 */
final class IntentWriter implements IntentWritePort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IntentWriter.class);
  private static final long PAUSE_MS = 1_000;

  private final IntentStore store;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final CompletableFuture<Void> ended;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-intent-writer").daemon().factory());

  /**
   * Writes to a store.
   *
   * @param post runs a call of the agent on its thread
   * @param ended completed exceptionally if the store fails
   */
  IntentWriter(
      IntentStore store, Consumer<Consumer<LeaderAgent>> post, CompletableFuture<Void> ended) {
    this.store = store;
    this.post = post;
    this.ended = ended;
  }

  @Override
  public void write(IntentBatch batch) {
    try {
      thread.execute(() -> writeAndTell(batch));
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  private void writeAndTell(IntentBatch batch) {
    try {
      for (int attempt = 1; !isWritten(batch, attempt); attempt++) {
        if (closing.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
      post.accept(agent -> agent.intentsWritten(batch));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("the committed intents cannot be stored, the leader stops", e);
      ended.completeExceptionally(
          new UserError(
              "the committed intents cannot be stored: " + e.getMessage(),
              "Look at the disk, then start the leader again: it recovers them from the log."));
    }
  }

  private boolean isWritten(IntentBatch batch, int attempt) {
    try {
      store.write(batch);
      return true;
    } catch (DatabaseException e) {
      if (e.errno() != Errno.ENOSPC && e.errno() != Errno.EAGAIN) {
        throw e;
      }
      if (attempt == 1) {
        LOG.warn("committed intents wait in memory: {}", e.getMessage());
      }
      return false;
    }
  }

  /** Waits for a write that is under way. */
  @Override
  public void close() {
    closing.countDown();
    thread.close();
  }
}

package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.PastPort;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.wire.message.Protocol;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores states of the past that workers mount, one after the other. */
final class PastThread implements PastPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PastThread.class);
  private static final long STOP_LIMIT_SECONDS = 10;

  private final Supplier<Moments> moments;
  private final SlowRequests requests;
  private final SnapshotCatalog catalog;
  private final PastSnapshotMaker maker;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-past-states").daemon().factory());

  /**
   * Stores states of one leader.
   *
   * @param moments of the leader, once it leads
   * @param requests which take turns with others that need memory for a state
   * @param catalog of the states that are held; only this thread uses it
   * @param memory of the leader
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   */
  PastThread(
      Supplier<Moments> moments,
      SlowRequests requests,
      OpLog log,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      PageCache memory,
      Consumer<Consumer<LeaderAgent>> post) {
    this.moments = moments;
    this.requests = requests;
    this.catalog = catalog;
    this.maker = new PastSnapshotMaker(requests, log, chunks, memory, catalog::put, Clock.SYSTEM);
    this.post = post;
  }

  @Override
  public void make(String moment) {
    execute(
        () -> {
          Consumer<PastHolds> answer = made(moment);
          post.accept(leader -> answer.accept(leader.pasts()));
        });
  }

  @Override
  public void remove(long index) {
    execute(
        () -> {
          boolean isGone = isRemoved(index);
          post.accept(
              leader -> {
                if (isGone) {
                  leader.pasts().removed(index);
                } else {
                  leader.pasts().notRemoved(index);
                }
              });
        });
  }

  private void execute(Runnable work) {
    try {
      thread.execute(work);
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  private boolean isRemoved(long index) {
    try {
      catalog.remove(index);
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.warn("a state of the past stays stored: {}", e.getMessage());
      return false;
    }
  }

  /** Always gives an answer: no other state is made until it arrives. */
  private Consumer<PastHolds> made(String moment) {
    try {
      Snapshot snapshot = requests.run(() -> stored(moment));
      return holds -> holds.made(snapshot, Clock.SYSTEM.monotonicNs());
    } catch (UserError e) {
      return holds -> holds.failed(e.message(), e.hint());
    } catch (RuntimeException | Error e) { // somebody waits for an answer
      LOG.error("internal error while a state of the past was stored", e);
      return holds -> holds.failed("internal error: " + e, "The leader's log says more.");
    }
  }

  private Snapshot stored(String moment) {
    Moments states = moments.get();
    PastStates.Newest newest = states.newest();
    HeapAllowance allowance = Moments.allowance("Mount a state that is closer to the newest one");
    PastStates past = states.past(newest, allowance);
    try {
      long index = states.index(moment, newest, past);
      if (index < 1) {
        throw new UserError("before entry 1 there was nothing", "Mount the state of an entry.");
      }
      for (Snapshot known : catalog.list()) {
        if (known.index() == index) {
          return known;
        }
      }
      SnapshotHold hold = states.hold(newest, index);
      try {
        return stored(index, hold, newest, past);
      } finally {
        states.end(hold);
      }
    } catch (PageUnreadableException e) {
      throw new UserError(
          "a page of the state cannot be read: " + e.getMessage(),
          "Workers are asked for it. Try again.");
    } catch (IOException e) {
      throw new UserError(
          "the state cannot be stored: " + FileProblems.describe(e), FileProblems.hint(e, ""));
    } catch (ChunkStoreException e) {
      throw new UserError("the state cannot be stored: " + e.getMessage(), "Look at the disk.");
    }
  }

  private Snapshot stored(long index, SnapshotHold hold, PastStates.Newest newest, PastStates past)
      throws IOException {
    Snapshot made = maker.make(index, hold, newest, past, Protocol.MAX_MANIFEST_BYTES);
    LOG.info("stored the state of entry {}: {} pages, {} bytes", index, made.pages(), made.bytes());
    return made;
  }

  /** Ends what is under way, after the requests were closed. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("a state of the past is still being stored");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

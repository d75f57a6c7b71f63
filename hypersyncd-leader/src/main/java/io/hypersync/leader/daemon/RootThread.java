package io.hypersync.leader.daemon;

import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Computes roots on a thread of its own, one after another. What crosses over to it is an immutable
 * state whose tries may keep their hashes under two threads; what comes back is a value, through a
 * future.
 */
public final class RootThread implements RootHashing, AutoCloseable {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work -> Thread.ofPlatform().daemon().name("replay-roots").unstarted(work));

  /** Starts the thread when it is first needed. */
  public RootThread() {}

  @Override
  public Root begin(FsState state) {
    return new Computed(CompletableFuture.supplyAsync(state::root, thread));
  }

  /** Waits for what has begun. */
  @Override
  public void close() {
    thread.close();
  }

  private record Computed(CompletableFuture<Hash> root) implements Root {
    @Override
    public boolean isKnown() {
      return root.isDone();
    }

    @Override
    public Hash await() {
      try {
        return root.join();
      } catch (CompletionException e) {
        switch (e.getCause()) {
          case RuntimeException fault -> throw fault;
          case Error fault -> throw fault;
          case null, default -> throw e;
        }
      }
    }
  }
}

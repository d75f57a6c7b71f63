package io.hypersync.leader.daemon;

import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Computes roots on a thread of its own, one after another. The thread gets an immutable state,
 * whose tries may cache hashes concurrently from two threads, and returns the root through a
 * future.
 */
public final class RootThread implements RootHashing, AutoCloseable {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work -> Thread.ofPlatform().daemon().name("replay-roots").unstarted(work));

  /** Creates the executor; its thread starts with the first root. */
  public RootThread() {}

  @Override
  public Root begin(FsState state) {
    return new Computed(CompletableFuture.supplyAsync(state::root, thread));
  }

  /** Waits for computations that have begun. */
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

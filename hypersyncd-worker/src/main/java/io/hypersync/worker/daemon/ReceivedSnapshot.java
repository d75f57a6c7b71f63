package io.hypersync.worker.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.worker.port.InstallPort;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The agent's port for an install of the leader's snapshot. Pages are read on the agent's thread, a
 * few at a time: the worker has no callers yet. Keeps what was received for {@code WorkerDaemon}.
 */
final class ReceivedSnapshot implements InstallPort {
  private final CompletableFuture<Void> ended;
  private final StoredPages pages;
  private volatile @Nullable Snapshot snapshot;

  /**
   * The port of one run.
   *
   * @param ended completed exceptionally if the worker has to end
   */
  ReceivedSnapshot(ChunkStore chunks, CompletableFuture<Void> ended) {
    this.ended = ended;
    this.pages = new StoredPages(chunks, RateLimit.NONE);
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    return pages.get(page);
  }

  @Override
  public void received(Snapshot whole) {
    snapshot = whole;
  }

  /** The snapshot whose pages are all in the store; null before that. Any thread. */
  @Nullable Snapshot snapshot() {
    return snapshot;
  }

  @Override
  public void end(String why, String hint) {
    ended.completeExceptionally(new UserError(why, hint));
  }
}

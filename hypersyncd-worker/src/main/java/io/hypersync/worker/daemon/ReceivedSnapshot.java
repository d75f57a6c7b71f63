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
 * few at a time. Keeps what was received for {@code WorkerDaemon}.
 */
final class ReceivedSnapshot implements InstallPort {
  private final CompletableFuture<Void> ended;
  private final StoredPages pages;
  private final Installer installer;
  private volatile @Nullable Snapshot snapshot;

  /**
   * The port of one run.
   *
   * @param installer puts a snapshot into the catalog, off the agent's thread
   * @param ended completed exceptionally if the worker has to end
   */
  ReceivedSnapshot(ChunkStore chunks, Installer installer, CompletableFuture<Void> ended) {
    this.ended = ended;
    this.installer = installer;
    this.pages = new StoredPages(chunks, RateLimit.NONE);
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    return pages.get(page);
  }

  /** Puts a snapshot into the catalog. */
  @FunctionalInterface
  interface Installer {
    /** Does so, and tells the agent. */
    void install(Snapshot snapshot);
  }

  @Override
  public void received(Snapshot offered) {
    snapshot = offered;
  }

  @Override
  public void install(Snapshot whole) {
    installer.install(whole);
  }

  /** The snapshot with which another worker is to begin; null if there is none. Any thread. */
  @Nullable Snapshot snapshot() {
    return snapshot;
  }

  @Override
  public void end(String why, String hint) {
    ended.completeExceptionally(new UserError(why, hint));
  }
}

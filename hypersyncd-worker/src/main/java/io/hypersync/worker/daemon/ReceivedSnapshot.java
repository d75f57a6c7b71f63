package io.hypersync.worker.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.worker.install.InstallException;
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
  private final WorkspaceId workspace;
  private final PageCache cache;
  private final Installer installer;
  private volatile @Nullable Snapshot snapshot;

  /**
   * The port of one run.
   *
   * @param cache of the replica's state
   * @param installer puts a snapshot into the catalog, off the agent's thread
   * @param ended completed exceptionally if the worker has to end
   */
  ReceivedSnapshot(
      ChunkStore chunks,
      WorkspaceId workspace,
      PageCache cache,
      Installer installer,
      CompletableFuture<Void> ended) {
    this.ended = ended;
    this.workspace = workspace;
    this.cache = cache;
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

  @Override
  public Manifest begin(Snapshot whole) throws InstallException {
    try {
      return Manifest.read(
          whole.manifest(), workspace, (version, _) -> cache.reader(version), cache.source());
    } catch (DecodeException | PageMissingException e) {
      throw new InstallException(String.valueOf(e.getMessage()));
    }
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

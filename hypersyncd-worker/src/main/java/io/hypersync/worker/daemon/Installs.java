package io.hypersync.worker.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.InstallTask;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.snapshot.daemon.SnapshotThread;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.port.InstallPort;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The agent's port for an install of the leader's snapshot. Pages are read on the agent's thread, a
 * few at a time: the worker has no callers yet. All else is done on the thread of the snapshots.
 */
final class Installs implements InstallPort {
  private final SnapshotThread thread;
  private final ChunkStore chunks;
  private final SnapshotCatalog catalog;
  private final WorkspaceId workspace;
  private final Consumer<Consumer<WorkerAgent>> post;
  private final CompletableFuture<Void> ended;
  private final StoredPages pages;

  /**
   * The port of one run.
   *
   * @param post hands a result to the agent, on its thread
   * @param ended completed exceptionally if the worker has to end
   */
  Installs(
      SnapshotThread thread,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      WorkspaceId workspace,
      Consumer<Consumer<WorkerAgent>> post,
      CompletableFuture<Void> ended) {
    this.thread = thread;
    this.chunks = chunks;
    this.catalog = catalog;
    this.workspace = workspace;
    this.post = post;
    this.ended = ended;
    this.pages = new StoredPages(chunks, RateLimit.NONE);
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    return pages.get(page);
  }

  @Override
  public void install(Snapshot snapshot, FsState like) {
    thread.install(
        new InstallTask(snapshot, like, workspace, chunks, catalog),
        problem -> post.accept(agent -> report(agent, snapshot.index(), problem)));
  }

  private static void report(WorkerAgent agent, long index, @Nullable String problem) {
    if (problem == null) {
      agent.snapshotInstalled(index);
    } else {
      agent.installFailed(problem);
    }
  }

  @Override
  public void end(String why, String hint) {
    ended.completeExceptionally(new UserError(why, hint));
  }
}

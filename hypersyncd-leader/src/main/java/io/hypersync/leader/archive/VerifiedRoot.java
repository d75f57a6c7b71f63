package io.hypersync.leader.archive;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.daemon.HeapBudget;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Computes the Merkle root of a snapshot from all its pages, and compares it. */
final class VerifiedRoot {
  /** Pages are read by recursion, and names can be chosen so that there are many above another. */
  private static final long STACK_BYTES = 64L << 20;

  private VerifiedRoot() {}

  /**
   * The root.
   *
   * @param directory where the pages are, for messages
   * @throws UserError if the pages do not give the root, one of them is missing, or the state does
   *     not fit into the memory
   */
  static Hash of(Snapshot snapshot, ChunkStore chunks, WorkspaceId workspace, String directory) {
    CompletableFuture<Hash> root = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .name("verify")
            .daemon()
            .stackSize(STACK_BYTES)
            .unstarted(
                () -> {
                  try {
                    root.complete(read(snapshot, chunks, workspace, directory));
                  } catch (RuntimeException | Error e) {
                    root.completeExceptionally(e);
                  }
                });
    thread.start();
    try {
      return root.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException known -> throw known;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    }
  }

  private static Hash read(
      Snapshot snapshot, ChunkStore chunks, WorkspaceId workspace, String directory) {
    try {
      long weight = Manifest.weight(snapshot.manifest());
      if (weight > HeapBudget.mostAtStart()) {
        throw new UserError(
            "the state of entry " + snapshot.index() + " takes " + weight + " bytes of memory",
            "Allow it more: HYPERSYNC_JAVA_OPTS=-Xmx" + HeapBudget.twiceMib() + "m");
      }
      return SnapshotReader.verify(snapshot, chunks, workspace).state().root();
    } catch (DecodeException | PageMissingException | ChunkStoreException e) {
      throw new UserError(
          "the state of entry "
              + snapshot.index()
              + " in "
              + directory
              + " is damaged: "
              + e.getMessage(),
          "See what else is: ./hypersync backup --verify <dir>. Take an older state: --at <index>.");
    }
  }
}

package io.hypersync.snapshot;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Makes a snapshot of another replica one of this replica's own, step by step (hypersync.md 13.2).
 * All its pages are in the chunk store already. They are synced, then all are read and every hash
 * up to the root is computed (13.4), and only then the catalog has the snapshot. So a start never
 * begins with one that is cut off, also after a crash between any two steps. What is read stays in
 * memory only in part.
 */
public final class InstallTask {
  /** What of the state may be in memory while it is verified. */
  private static final long MEMORY_BYTES = 4L << 20;

  private enum Step {
    SYNC,
    VERIFY,
    PUBLISH,
    DONE
  }

  private final Snapshot snapshot;
  private final WorkspaceId workspace;
  private final ChunkStore chunks;
  private final SnapshotCatalog catalog;
  private final BooleanSupplier stopping;
  private Step step = Step.SYNC;
  private boolean refuted;

  /**
   * Prepares it.
   *
   * @param stopping asked before each page is read; once true, a step ends with EAGAIN
   */
  public InstallTask(
      Snapshot snapshot,
      WorkspaceId workspace,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      BooleanSupplier stopping) {
    this.snapshot = snapshot;
    this.workspace = workspace;
    this.chunks = chunks;
    this.catalog = catalog;
    this.stopping = stopping;
  }

  /** The snapshot, which the catalog has after the last step. */
  public Snapshot snapshot() {
    return snapshot;
  }

  /** Whether a step has failed because the pages, all of them intact, are not those of the root. */
  public boolean isRefuted() {
    return refuted;
  }

  /**
   * Does the next step.
   *
   * @return whether there is another step
   * @throws ChunkStoreException if the chunk store fails
   * @throws IOException if the catalog cannot be written, or the pages are not those of the root
   */
  public boolean step() throws IOException {
    switch (step) {
      case SYNC -> {
        chunks.sync();
        step = Step.VERIFY;
      }
      case VERIFY -> {
        verify();
        step = Step.PUBLISH;
      }
      case PUBLISH -> {
        catalog.put(snapshot);
        step = Step.DONE;
      }
      case DONE -> throw new IllegalStateException("the snapshot is installed");
    }
    return step != Step.DONE;
  }

  private void verify() throws IOException {
    StoredPages stored = new StoredPages(chunks, RateLimit.NONE);
    PageCache some = SnapshotReader.cache(stored, MEMORY_BYTES, true);
    try {
      var _ =
          Manifest.read(
              snapshot.manifest(),
              workspace,
              (version, source) -> PageReader.verifyingAndMarking(version, source, some),
              page -> {
                if (stopping.getAsBoolean()) {
                  throw new ChunkStoreException(Errno.EAGAIN, "the replica stops");
                }
                return stored.get(page);
              });
    } catch (DecodeException | PageMissingException e) {
      refuted = e instanceof DecodeException;
      throw new IOException("what was received is no snapshot: " + e.getMessage(), e);
    }
  }
}

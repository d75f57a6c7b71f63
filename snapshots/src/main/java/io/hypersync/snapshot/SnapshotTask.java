package io.hypersync.snapshot;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Takes one snapshot, step by step: writes the pages that the newest snapshot does not have, syncs
 * them, and only then adds the snapshot to the catalog. So whatever the catalog has is complete,
 * also after a crash between any two steps; pages of a snapshot that was not finished are found
 * again by the next one, or collected.
 *
 * <p>The entries up to the manifest's index must be durable, and so must be the chunks that its
 * files have: from then on the log up to there may be forgotten. All snapshots of a replica are
 * taken on one thread, one after the other ({@link PageWriter#incremental}).
 */
public final class SnapshotTask {
  private enum Step {
    PAGES,
    SYNC,
    PUBLISH,
    DONE
  }

  private final Manifest manifest;
  private final String name;
  private final long takenNs;
  private final ChunkStore chunks;
  private final StoredPages pages;
  private final SnapshotCatalog catalog;
  private final PageWriter writer;
  private Step step = Step.PAGES;
  private Manifest.@Nullable Written written;
  private @Nullable Snapshot taken;

  /**
   * Prepares a snapshot.
   *
   * @param name what somebody called it, at most {@link Snapshot#MAX_NAME_BYTES}; may be empty
   * @param takenNs the time of day, in nanoseconds since 1970
   * @param limit asked for each page that is written
   * @param cache of the replica: once the snapshot is taken, what it has need not be in memory
   */
  public SnapshotTask(
      Manifest manifest,
      String name,
      long takenNs,
      ChunkStore chunks,
      SnapshotCatalog catalog,
      RateLimit limit,
      PageCache cache) {
    this.manifest = manifest;
    this.name = name;
    this.takenNs = takenNs;
    this.chunks = chunks;
    this.catalog = catalog;
    this.pages = StoredPages.ofSnapshot(chunks, limit);
    this.writer = PageWriter.incremental(manifest.state().version(), pages, cache);
  }

  /**
   * Does the next step. If it throws, the snapshot is given up, and nothing has changed but that
   * the chunk store may have pages which nobody needs.
   *
   * @return whether there is another step
   * @throws ChunkStoreException if the chunk store fails; ENOSPC if it is full
   * @throws IOException if the catalog cannot be written
   */
  public boolean step() throws IOException {
    boolean goesOn = false;
    try {
      goesOn = next();
      return goesOn;
    } finally {
      if (!goesOn && step != Step.DONE) {
        abandon();
      }
    }
  }

  private boolean next() throws IOException {
    switch (step) {
      case PAGES -> {
        written = manifest.write(writer);
        pages.flush();
        step = Step.SYNC;
      }
      case SYNC -> {
        chunks.sync();
        step = Step.PUBLISH;
      }
      case PUBLISH -> {
        Snapshot snapshot = snapshot();
        catalog.put(snapshot);
        taken = snapshot;
        writer.finished();
        step = Step.DONE;
      }
      case DONE -> throw new IllegalStateException("the snapshot is taken or was given up");
    }
    return step != Step.DONE;
  }

  private Snapshot snapshot() {
    if (written == null) {
      throw new IllegalStateException("no pages were written");
    }
    return new Snapshot(
        manifest.index(), takenNs, writer.pages(), writer.bytes(), false, name, written.bytes());
  }

  /** Gives the snapshot up, unless it is taken; the next one writes its pages again. */
  public void abandon() {
    if (taken == null) {
      step = Step.DONE;
      writer.undo();
    }
  }

  /** The snapshot, after the last step. */
  public Snapshot result() {
    if (taken == null) {
      throw new IllegalStateException("the snapshot is not taken");
    }
    return taken;
  }
}

package io.hypersync.leader.history;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Stores a state of the past like a snapshot, step by step: the pages that differ from those of the
 * newest state, chunks that only the log has, a sync, and only then the record. So whatever there
 * is a record of is complete, also after a crash between any two steps.
 *
 * <p>The snapshot that the state is read from must be held, with the log behind it, until this has
 * ended; and no collection may take its roots meanwhile ({@link PageWriter#beside}). Chunks of
 * files that were collected before stay gone: only states of snapshots have all of theirs.
 */
public final class PastSnapshotTask {
  /** Receives what leads to the state, when everything that it leads to is durable. */
  @FunctionalInterface
  public interface Records {
    /** For who says elsewhere that the state is held. */
    Records NONE = _ -> {};

    /** Adds it, durably. */
    void put(Snapshot snapshot) throws IOException;
  }

  private enum Step {
    PAGES,
    LOGGED,
    SYNC,
    PUBLISH,
    DONE
  }

  private final long index;
  private final @Nullable Snapshot same;
  private final PastStates past;
  private final LoggedChunks logged;
  private final ChunkStore chunks;
  private final Records records;
  private final PageCache memory;
  private final long nowNs;
  private Step step = Step.PAGES;
  private @Nullable Snapshot made;

  /**
   * Prepares it.
   *
   * @param index of the state, at most that of the newest one
   * @param base the snapshot that is held; null if there is none at or before the state
   * @param past reads the state
   * @param records has the states that are held
   * @param memory of the leader, whose newest state the state is read beside
   * @param nowNs the time of day, in nanoseconds since 1970
   */
  public PastSnapshotTask(
      long index,
      @Nullable Snapshot base,
      PastStates past,
      OpLog log,
      ChunkStore chunks,
      Records records,
      PageCache memory,
      long nowNs) {
    this.index = index;
    this.same = base != null && base.index() == index ? base : null;
    this.past = past;
    this.logged = LoggedChunks.missing(log, chunks, base == null ? 0 : base.index(), index);
    this.chunks = chunks;
    this.records = records;
    this.memory = memory;
    this.nowNs = nowNs;
  }

  /**
   * Does the next step.
   *
   * @return whether there is another one
   * @throws UserError if the state is not there, or there is no memory
   * @throws ChunkStoreException if the chunk store fails; ENOSPC if it is full
   * @throws IOException if the log cannot be read, or the record cannot be written
   */
  public boolean step() throws IOException {
    switch (step) {
      case PAGES -> { // first: it says whether the state is there
        made = written();
        step = Step.LOGGED;
      }
      case LOGGED -> {
        if (same != null || !logged.step()) {
          step = Step.SYNC;
        }
      }
      case SYNC -> {
        chunks.sync();
        step = Step.PUBLISH;
      }
      case PUBLISH -> {
        records.put(result());
        step = Step.DONE;
      }
      case DONE -> throw new IllegalStateException("the state is stored");
    }
    return step != Step.DONE;
  }

  private Snapshot written() throws IOException {
    Snapshot known = same;
    if (known != null) {
      return new Snapshot(index, nowNs, 0, 0, false, "", known.manifest());
    }
    Manifest manifest = past.manifest(index);
    StoredPages pages = new StoredPages(chunks, RateLimit.NONE);
    PageWriter writer = PageWriter.beside(manifest.state().version(), pages, memory);
    Manifest.Written written = manifest.write(writer);
    pages.flush();
    return new Snapshot(index, nowNs, writer.pages(), writer.bytes(), false, "", written.bytes());
  }

  /** What leads to the state; stored after the last step. */
  public Snapshot result() {
    Snapshot known = made;
    if (known == null) {
      throw new IllegalStateException("the state is not stored");
    }
    return known;
  }
}

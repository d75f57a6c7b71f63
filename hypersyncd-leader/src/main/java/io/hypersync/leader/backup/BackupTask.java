package io.hypersync.leader.backup;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.backup.StateCopy.SourceException;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Makes one state a part of a backup, step by step: copies what the backup does not have of it,
 * syncs that, and only then adds the state to the backup's catalog. So whatever the catalog has is
 * complete, also after a crash between any two steps. What an interrupted backup has copied is
 * found by the next one.
 *
 * <p>The snapshot must be held at the source until the task is over.
 */
public final class BackupTask {
  private enum Step {
    COPY,
    SYNC,
    PUBLISH,
    DONE
  }

  private final Snapshot snapshot;
  private final StateCopy copy;
  private final ChunkStore target;
  private final SnapshotCatalog catalog;
  private Step step = Step.COPY;
  private @Nullable Snapshot published;

  /**
   * Prepares it.
   *
   * @param snapshot what is backed up
   * @param copy of that state into {@code target}; it has done nothing yet
   * @param target the backup's chunk store
   * @param catalog the backup's catalog
   */
  public BackupTask(Snapshot snapshot, StateCopy copy, ChunkStore target, SnapshotCatalog catalog) {
    this.snapshot = snapshot;
    this.copy = copy;
    this.target = target;
    this.catalog = catalog;
  }

  /**
   * Does the next step. If it throws, the state is not in the backup, apart from a catalog that may
   * have it; what was copied stays.
   *
   * @return whether there is another step
   * @throws SourceException if the source does not have all of the state whole
   * @throws ChunkStoreException if the backup's chunk store fails; ENOSPC if it is full
   * @throws IOException if the backup's catalog cannot be written
   */
  public boolean step() throws SourceException, IOException {
    switch (step) {
      case COPY -> {
        if (!copy.step()) {
          step = Step.SYNC;
        }
      }
      case SYNC -> {
        target.sync();
        step = Step.PUBLISH;
      }
      case PUBLISH -> {
        CopyProgress copied = copy.progress();
        Snapshot state =
            new Snapshot(
                snapshot.index(),
                snapshot.takenNs(),
                copied.copiedPages(),
                copied.copiedBytes(),
                false,
                snapshot.name(),
                snapshot.manifest());
        catalog.put(state);
        published = state;
        step = Step.DONE;
      }
      case DONE -> throw new IllegalStateException("the state is backed up");
    }
    return step != Step.DONE;
  }

  /** How far the copy is. */
  public CopyProgress progress() {
    return copy.progress();
  }

  /**
   * What the backup has now: the snapshot, with what had to be copied for it.
   *
   * @throws IllegalStateException before the last step
   */
  public Snapshot result() {
    if (published == null) {
      throw new IllegalStateException("the state is not backed up yet");
    }
    return published;
  }
}

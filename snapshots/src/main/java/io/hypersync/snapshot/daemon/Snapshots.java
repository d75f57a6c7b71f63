package io.hypersync.snapshot.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotDirectory;
import io.hypersync.snapshot.SnapshotReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots that a replica starts with.
 *
 * @param catalog where they are
 * @param known what the catalog has, the oldest first
 * @param newest the newest one that can be read, with which the replica begins; null for none
 */
public record Snapshots(SnapshotCatalog catalog, List<Snapshot> known, @Nullable Manifest newest) {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  /**
   * Reads the snapshots of a replica. Those of another workspace are left out, and logged.
   *
   * @param room called before the pages of a snapshot are read; may throw
   * @throws IOException if the catalog cannot be read
   */
  public static Snapshots read(
      Path stateDirectory, ChunkStore chunks, WorkspaceId workspace, SnapshotReader.RoomCheck room)
      throws IOException {
    SnapshotCatalog catalog = SnapshotDirectory.of(stateDirectory);
    List<Snapshot> known = known(catalog, workspace);
    return new Snapshots(catalog, known, SnapshotReader.newest(known, chunks, workspace, room));
  }

  /**
   * The same, beginning with one whose state has been read already.
   *
   * @throws IOException if the catalog cannot be read
   */
  public static Snapshots of(SnapshotCatalog catalog, WorkspaceId workspace, Manifest newest)
      throws IOException {
    return new Snapshots(catalog, known(catalog, workspace), newest);
  }

  private static List<Snapshot> known(SnapshotCatalog catalog, WorkspaceId workspace)
      throws IOException {
    return catalog.list().stream().filter(snapshot -> !isForeign(snapshot, workspace)).toList();
  }

  private static boolean isForeign(Snapshot snapshot, WorkspaceId workspace) {
    try {
      WorkspaceId said = Manifest.workspace(snapshot.manifest());
      if (!said.equals(workspace)) {
        LOG.warn("the snapshot of entry {} is of workspace {}: ignored", snapshot.index(), said);
        return true;
      }
    } catch (DecodeException e) {
      LOG.debug("whoever reads it will say so", e);
    }
    return false;
  }

  /** Index of the one that the replica begins with; 0 for none. */
  public long base() {
    return newest == null ? 0 : newest.index();
  }
}

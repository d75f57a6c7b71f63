package io.hypersync.snapshot.daemon;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotDirectory;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SuspectSnapshots;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
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
 * @param received the snapshot of the leader that the replica begins with in place of {@code
 *     newest}: it is not in the catalog before all its pages are here; else null
 * @param cache of the replica that begins with it
 * @param suspect whether all pages of the newest one can be read
 */
public record Snapshots(
    SnapshotCatalog catalog,
    List<Snapshot> known,
    @Nullable Manifest newest,
    @Nullable Snapshot received,
    PageCache cache,
    SuspectSnapshots suspect) {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  /**
   * Reads the snapshots of a replica. Those of another workspace are left out, and logged.
   *
   * @param room called before a snapshot is read; may throw
   * @param cache of the replica
   * @throws IOException if the catalog cannot be read
   */
  public static Snapshots read(
      Path stateDirectory, WorkspaceId workspace, SnapshotReader.RoomCheck room, PageCache cache)
      throws IOException {
    SnapshotCatalog catalog = SnapshotDirectory.of(stateDirectory);
    List<Snapshot> known = known(catalog, workspace);
    SuspectSnapshots suspect = SuspectSnapshots.of(stateDirectory);
    boolean readsAll = suspect.areSuspect();
    if (readsAll) {
      LOG.info("a page of the state could not be read before: all of them are read now");
    }
    Manifest newest = SnapshotReader.newest(known, cache, workspace, room, readsAll);
    if (readsAll && newest != null && newest.index() == known.getLast().index()) {
      suspect.clear();
    }
    return new Snapshots(catalog, known, newest, null, cache, suspect);
  }

  /**
   * The same, beginning with a snapshot of the leader, whose pages need not be here.
   *
   * @param cache reads them
   * @throws DecodeException if it is no snapshot of this workspace
   * @throws PageMissingException never, as long as the cache reads no page before it is needed
   * @throws IOException if the catalog cannot be read
   */
  public static Snapshots begin(
      Path stateDirectory, WorkspaceId workspace, Snapshot received, PageCache cache)
      throws IOException, DecodeException, PageMissingException {
    SnapshotCatalog catalog = SnapshotDirectory.of(stateDirectory);
    Manifest manifest =
        Manifest.read(
            received.manifest(), workspace, (version, _) -> cache.reader(version), cache.source());
    return new Snapshots(
        catalog,
        known(catalog, workspace),
        manifest,
        received,
        cache,
        SuspectSnapshots.of(stateDirectory));
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

  /**
   * The same, of a replica that has taken more of them before it began.
   *
   * @param taken the new ones
   * @param last what the last one of them is of; null if there is none
   */
  public Snapshots with(List<Snapshot> taken, @Nullable Manifest last) {
    if (last == null) {
      return this;
    }
    List<Snapshot> all = new ArrayList<>(known);
    all.removeIf(old -> taken.stream().anyMatch(snapshot -> snapshot.index() == old.index()));
    all.addAll(taken);
    all.sort(Comparator.comparingLong(Snapshot::index));
    return new Snapshots(catalog, all, last, received, cache, suspect);
  }

  /** Index of the one that the replica begins with; 0 for none. */
  public long base() {
    return newest == null ? 0 : newest.index();
  }
}

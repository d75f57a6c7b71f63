package io.hypersync.leader.recovery;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotReader;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds where the replay of a stopped leader's log can begin if its first entries were trimmed
 * (hypersync.md 14.1): with the oldest snapshot, so that as many roots as possible are compared. A
 * leader begins with the newest one instead ({@code SnapshotReader.newest}).
 */
public final class OldestSnapshot {
  private final SnapshotCatalog catalog;
  private final WorkspaceId workspace;
  private final ChunkStore chunks;
  private final RootVersion roots;

  /**
   * Of a leader that does not run.
   *
   * @param catalog of its snapshots
   * @param workspace snapshots of another one are passed over
   * @param chunks has their pages
   * @param roots the version of the log's roots
   */
  public OldestSnapshot(
      SnapshotCatalog catalog, WorkspaceId workspace, ChunkStore chunks, RootVersion roots) {
    this.catalog = catalog;
    this.workspace = workspace;
    this.chunks = chunks;
    this.roots = roots;
  }

  /**
   * The oldest snapshot of an entry in a range that can be read. Computes every hash of it.
   *
   * @param from the lowest index that it may have
   * @param through the highest one
   * @return null if there is none
   * @throws IOException if the catalog cannot be read
   */
  public SnapshotReader.@Nullable Whole between(long from, long through) throws IOException {
    List<Snapshot> usable =
        catalog.list().stream()
            .filter(snapshot -> snapshot.index() >= from && snapshot.index() <= through)
            .filter(this::hasRootsOfTheLog)
            .toList();
    return SnapshotReader.first(usable, chunks, workspace);
  }

  /**
   * Where a replay of the log begins: with the empty filesystem if the log has all its entries,
   * else with a snapshot of the entry before its first one, or of a later one. If there is none
   * {@link LogReplay#firstNeeded} refuses the log.
   *
   * @param first the first entry of the log
   * @param through the highest index that the snapshot may have
   * @throws IOException if the catalog cannot be read
   */
  public ReplayStart start(long first, long through) throws IOException {
    SnapshotReader.Whole oldest = first > 1 ? between(first - 1, through) : null;
    return oldest == null ? ReplayStart.genesis(roots) : ReplayStart.of(oldest.manifest());
  }

  private boolean hasRootsOfTheLog(Snapshot snapshot) {
    try {
      return Manifest.version(snapshot.manifest()) == roots;
    } catch (DecodeException e) {
      return false;
    }
  }
}

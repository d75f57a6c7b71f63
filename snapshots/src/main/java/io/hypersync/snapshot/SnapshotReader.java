package io.hypersync.snapshot;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the states that snapshots have. */
public final class SnapshotReader {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotReader.class);

  private SnapshotReader() {}

  /** Refuses states that do not fit into memory. */
  @FunctionalInterface
  public interface RoomCheck {
    /** Lets every state pass. */
    RoomCheck NONE = (_, _) -> {};

    /**
     * Throws if there is no room for the state of this entry.
     *
     * @param weight about how many bytes of heap it takes
     */
    void require(long index, long weight);
  }

  /**
   * The newest snapshot that can be read, from which a replica goes on. One that cannot be read is
   * skipped, and logged.
   *
   * <p>The state is marked with what this snapshot has ({@link PageReader#trusting}), so the caller
   * must keep it in the catalog until it has taken another one.
   *
   * @param known what the catalog has, the oldest first
   * @param room called before the pages of a snapshot are read; may throw
   * @return the manifest, or null if there is no snapshot that can be read
   */
  public static @Nullable Manifest newest(
      List<Snapshot> known, ChunkStore chunks, WorkspaceId workspace, RoomCheck room) {
    for (Snapshot snapshot : known.reversed()) {
      try {
        room.require(snapshot.index(), Manifest.weight(snapshot.manifest()));
        return Manifest.read(
            snapshot.manifest(),
            workspace,
            PageReader::trusting,
            new StoredPages(chunks, RateLimit.NONE));
      } catch (DecodeException | PageMissingException e) {
        LOG.warn("the snapshot of entry {} is not used: {}", snapshot.index(), e.getMessage());
      }
    }
    return null;
  }

  /**
   * Reads a snapshot and computes every hash of it.
   *
   * @throws DecodeException if a page is not what the snapshot says
   * @throws PageMissingException if a page is not there, or is damaged
   */
  public static Manifest verify(Snapshot snapshot, ChunkStore chunks, WorkspaceId workspace)
      throws DecodeException, PageMissingException {
    return Manifest.read(
        snapshot.manifest(),
        workspace,
        PageReader::verifying,
        new StoredPages(chunks, RateLimit.NONE));
  }
}

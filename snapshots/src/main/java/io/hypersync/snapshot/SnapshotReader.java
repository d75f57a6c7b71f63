package io.hypersync.snapshot;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the states that snapshots have. */
public final class SnapshotReader {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotReader.class);

  /** More pages are read more than once. */
  private static final int MAX_SEEN_PAGES = 1 << 20;

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
   * <p>The state is marked with what this snapshot has ({@link PageCache#reader}), so the caller
   * must keep it in the catalog until it has taken another one.
   *
   * @param known what the catalog has, the oldest first
   * @param cache of the replica, which has the pages' source
   * @param room called before the pages of a snapshot are read; may throw
   * @param readsAll whether every page is read at once, and not only when it is needed
   * @return the manifest, or null if there is no snapshot that can be read
   */
  public static @Nullable Manifest newest(
      List<Snapshot> known,
      PageCache cache,
      WorkspaceId workspace,
      RoomCheck room,
      boolean readsAll) {
    for (Snapshot snapshot : known.reversed()) {
      try {
        room.require(snapshot.index(), Manifest.weight(snapshot.manifest()));
        if (readsAll) {
          readAll(snapshot, cache.source(), workspace);
        }
        return Manifest.read(
            snapshot.manifest(), workspace, (version, _) -> cache.reader(version), cache.source());
      } catch (DecodeException | PageMissingException e) {
        LOG.warn("the snapshot of entry {} is not used: {}", snapshot.index(), e.getMessage());
      }
    }
    return null;
  }

  /**
   * A snapshot all of whose pages are there.
   *
   * @param manifest what was read of it, with every hash computed
   */
  public record Whole(Snapshot snapshot, Manifest manifest) {}

  /**
   * The first snapshot that can be read, from which a log can be replayed without a leader. Reads
   * all of it into memory, and computes every hash. One that cannot be read, or is of another
   * workspace, is skipped, and logged.
   *
   * @param known in the order in which they are tried
   * @return null if none of them can be read
   */
  public static @Nullable Whole first(
      List<Snapshot> known, ChunkStore chunks, WorkspaceId workspace) {
    for (Snapshot snapshot : known) {
      try {
        return new Whole(snapshot, verify(snapshot, chunks, workspace));
      } catch (DecodeException | PageMissingException e) {
        LOG.warn("the snapshot of entry {} is not used: {}", snapshot.index(), e.getMessage());
      }
    }
    return null;
  }

  private static void readAll(Snapshot snapshot, PageSource source, WorkspaceId workspace)
      throws DecodeException, PageMissingException {
    PageWalker walker = new PageWalker(source, new SeenPages());
    Manifest.walk(snapshot.manifest(), workspace, walker);
    while (walker.step()) {}
  }

  /** Comes to each page once, and to no chunk. */
  private static final class SeenPages implements PageVisitor {
    private final SeenHashes seen = new SeenHashes(MAX_SEEN_PAGES);

    @Override
    public boolean page(Hash page) {
      return seen.add(page);
    }

    @Override
    public void chunk(Hash chunk) {}
  }

  /**
   * The memory of a replica whose pages are in a store.
   *
   * @param maxBytes how much heap what is in pages may take; {@code Long.MAX_VALUE} for all
   * @param forgets as in {@link PageCache}
   */
  public static PageCache cache(ChunkStore chunks, long maxBytes, boolean forgets) {
    return cache(new StoredPages(chunks, RateLimit.NONE), maxBytes, forgets);
  }

  /**
   * The memory of a replica whose pages are in a store, or elsewhere.
   *
   * @param source thread-safe; verifies the hash of what it returns
   * @param maxBytes as above
   * @param forgets as above
   */
  public static PageCache cache(PageSource source, long maxBytes, boolean forgets) {
    return new PageCache(source, StatePages::leaves, maxBytes, forgets);
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

package io.hypersync.leader.scrub;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.Node;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** What a scrub asks of the rest of the leader. It stores and removes nothing by itself. */
public interface ScrubPort {
  /**
   * Reads a chunk or a page from the disk, past all caches, and compares its hash.
   *
   * @return null if the store does not have it
   * @throws ChunkStoreException EIO if it is damaged or cannot be read; another errno if the store
   *     cannot tell now
   */
  byte @Nullable [] read(Hash hash);

  /**
   * Has workers asked for a chunk or a page that the store does not have, or not intact.
   *
   * @return whether it is hopeless: no connected worker has it either
   */
  boolean lost(Hash hash);

  /**
   * Keeps a snapshot, with all that it leads to, until {@link #release}.
   *
   * @return false if it is gone
   */
  boolean hold(long index);

  /**
   * All nodes of the newest state, of which no chunk is in the log alone. Asked for if a page of
   * its snapshot is lost: the state in memory leads to what the page led to.
   *
   * @return null if that cannot be had now
   */
  @Nullable Iterator<Node> head();

  /** Ends what {@link #hold} has begun. */
  void release(long index);
}

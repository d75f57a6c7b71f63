package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A page that is stored, or will be when a snapshot is finished, and the inner node in memory at
 * which it begins.
 */
final class StoredPage extends WeakReference<Inner> {
  private final Hash hash;
  private final int kind;
  private final PageCache cache;

  /** What the children of the node count for in the cache, in bytes. */
  final long bytes;

  /** Whether it can be read. Written under the lock of the cache; once true it stays so. */
  volatile boolean isStored;

  /** Whether the cache counts the children as in memory; guarded by the cache. */
  boolean isCounted;

  /** The node, if the cache forgets nothing, so that it stays in memory. */
  private final @Nullable Inner pinned;

  /**
   * The page of a node.
   *
   * @param hash the page's hash
   * @param kind which leaves it has
   * @param cache what can read it
   * @param bytes what the children count for, in bytes of heap
   * @param gone is told when the node is not in memory any more
   * @param pins whether it stays in memory for this page
   */
  StoredPage(
      Inner node,
      Hash hash,
      int kind,
      PageCache cache,
      long bytes,
      ReferenceQueue<Inner> gone,
      boolean pins) {
    super(node, gone);
    this.pinned = pins ? node : null;
    this.hash = hash;
    this.kind = kind;
    this.cache = cache;
    this.bytes = bytes;
  }

  /** The node; null if it is not in memory any more. */
  @Nullable Inner node() {
    return pinned != null ? pinned : get();
  }

  Hash hash() {
    return hash;
  }

  int kind() {
    return kind;
  }

  PageCache cache() {
    return cache;
  }
}

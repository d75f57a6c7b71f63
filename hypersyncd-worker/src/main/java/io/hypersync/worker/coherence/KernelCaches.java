package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import java.util.function.BiConsumer;

/**
 * Notes of what the kernel may have cached. Whoever lets the kernel cache something notes it here
 * <em>before</em> looking at the current {@link View}; the visibility gate changes the view
 * <em>before</em> asking here. So either the visibility gate finds the note and invalidates, or the
 * other side finds the changed view and lets the kernel cache nothing.
 */
public interface KernelCaches {
  /** Whether the kernel holds the inode (lookup count above 0). */
  boolean isKnown(InodeNo inode);

  /** Tells of all inodes that the kernel holds; of those that come or go meanwhile, perhaps. */
  void forEachKnown(BiConsumer<InodeNo, NodeId> inode);

  /** Whether the inode's attributes may be cached; they count as dropped from now on. */
  boolean takeAttributes(InodeNo inode);

  /**
   * Called when an entry is about to change the directory with this inode: handles that are opened
   * from now on do not use the kernel's cached listing as it is.
   *
   * @return whether a handle that is open may still use it, so that it must be dropped; until
   *     {@link #listingDropped} no other handle gets it
   */
  boolean takeListing(InodeNo inode);

  /** The kernel has dropped its cached listing, as {@link #takeListing} required. */
  void listingDropped(InodeNo inode);

  /** Whether the name may be cached; it counts as dropped from now on. */
  boolean takeName(CachedName name);

  /** Whether pages of the inode may be cached. */
  boolean mayHavePages(InodeNo inode);

  /** Whether pages of the inode may be cached; all of them count as dropped from now on. */
  boolean takePages(InodeNo inode);

  /**
   * Notes that the kernel may have this name cached: a rename has moved a dentry there together
   * with its cache lifetime.
   */
  void noteName(CachedName name);
}

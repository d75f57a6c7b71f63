package io.hypersync.worker.coherence;

/**
 * What the kernel was told that it may keep. Whoever tells it so notes it here <em>before</em>
 * looking at the current {@link View}; the publisher changes the view <em>before</em> asking here.
 * So either the publisher finds the note, or the teller finds the changed view and tells the kernel
 * to keep nothing.
 */
public interface KernelCaches {
  /** Whether the kernel knows the inode. */
  boolean isKnown(long inode);

  /** Whether the inode's attributes may be cached; they count as dropped from now on. */
  boolean takeAttributes(long inode);

  /**
   * The directory of this inode changes: handles that are opened from now on do not get the
   * kernel's copy of its listing as it is.
   *
   * @return whether one that is open could, unless the copy is dropped; then no other handle gets
   *     it before {@link #listingDropped}
   */
  boolean takeListing(long inode);

  /** The kernel has dropped its copy of the listing, which {@link #takeListing} asked for. */
  void listingDropped(long inode);

  /** Whether the name may be cached; it counts as dropped from now on. */
  boolean takeName(CachedName name);

  /** Whether pages of the inode may be cached. */
  boolean mayHavePages(long inode);

  /** Whether pages of the inode may be cached; all of them count as dropped from now on. */
  boolean takePages(long inode);

  /** The kernel may have this name cached: a rename there took the time to keep along. */
  void noteName(CachedName name);
}

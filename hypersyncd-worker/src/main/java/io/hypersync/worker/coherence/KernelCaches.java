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

  /**
   * Whether the inode's attributes may be cached; they count as dropped from now on. So does the
   * listing of a directory, which changes only along with its attributes.
   */
  boolean takeAttributes(long inode);

  /** Whether the name may be cached; it counts as dropped from now on. */
  boolean takeName(CachedName name);

  /** The kernel is about to look up every name again, although some are noted as cached. */
  void namesDistrusted();

  /** Whether pages of the inode may be cached. */
  boolean mayHavePages(long inode);

  /**
   * Whether pages of the inode, or its listing, may be cached; all of them count as dropped from
   * now on.
   */
  boolean takePages(long inode);

  /** The kernel may have this name cached: a rename there took the time to keep along. */
  void noteName(CachedName name);
}

package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.replica.IndexedState;
import org.jspecify.annotations.Nullable;

/**
 * What requests are answered from: S_v, and what the kernel must not cache of it because the next
 * entry is about to change it. Immutable. One volatile reference holds the current view, so both
 * parts always belong together. Views are compared by reference.
 */
public final class View {
  private final IndexedState visible;
  private final Invalidations changing;

  /** The file whose new size the kernel is being given, or null. */
  private final @Nullable InodeNo growing;

  /** Whether it is being given the new sizes of all files. */
  private final boolean allGrow;

  /**
   * Creates a view.
   *
   * @param visible S_v
   * @param changing what the next entry changes, which must not be cached
   */
  public View(IndexedState visible, Invalidations changing) {
    this(visible, changing, null, false);
  }

  private View(
      IndexedState visible, Invalidations changing, @Nullable InodeNo growing, boolean allGrow) {
    this.visible = visible;
    this.changing = changing;
    this.growing = growing;
    this.allGrow = allGrow;
  }

  /** This view, while the kernel is being given the new size of this file. */
  View whileGrowing(InodeNo inode) {
    return new View(visible, changing, inode, false);
  }

  /** This view, while the kernel is being given the new sizes of all files that it knows. */
  View whileAllGrow() {
    return new View(visible, changing, null, true);
  }

  /**
   * Whether the kernel may still have the old size of this file: a caller that reads bytes behind
   * the old end now might not find them there by other calls.
   */
  public boolean isGrowing(InodeNo inode) {
    return allGrow || inode.equals(growing);
  }

  /** S_v with its index. */
  public IndexedState visible() {
    return visible;
  }

  /** The filesystem state of S_v. */
  public FsState state() {
    return visible.state();
  }

  /** Whether the kernel may cache attributes that are taken from this view. */
  public boolean keepsAttributes(InodeNo inode) {
    return !changing.touchesAttributes(inode);
  }

  /** Whether the kernel may cache where this name leads in this view, or that it is missing. */
  public boolean keepsName(InodeNo directory, Name name) {
    return !changing.touchesName(directory, name);
  }
}

package io.hypersync.worker.coherence;

import io.hypersync.model.id.Name;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.replica.Published;

/**
 * What the kernel's requests are answered from: S_v, and what the kernel must not keep of it
 * because the next entry is about to change it. Immutable; one volatile reference holds the current
 * one, so that both are always of the same moment. Two views are the same only if they are one
 * object.
 */
public final class View {
  private static final long NONE = 0;

  private final Published published;
  private final Effects changing;
  private final long growing;

  /**
   * A view.
   *
   * @param published S_v
   * @param changing what the next entry changes
   */
  public View(Published published, Effects changing) {
    this(published, changing, NONE);
  }

  private View(Published published, Effects changing, long growing) {
    this.published = published;
    this.changing = changing;
    this.growing = growing;
  }

  /** The same, while the kernel is being told that this file is longer now. */
  View whileGrowing(long inode) {
    return new View(published, changing, inode);
  }

  /**
   * Whether the kernel may still go by what the length of this file was before: who is told what is
   * behind it now would not find it there by other calls.
   */
  public boolean isGrowing(long inode) {
    return growing != NONE && growing == inode;
  }

  /** S_v. */
  public Published published() {
    return published;
  }

  /** The filesystem. */
  public FsState state() {
    return published.state();
  }

  /** Whether attributes taken from here may be kept by the kernel. */
  public boolean keepsAttributes(long inode) {
    return !changing.touchesAttributes(inode);
  }

  /** Whether the kernel may remember where this name leads, or that it does not. */
  public boolean keepsName(long directory, Name name) {
    return !changing.touchesName(directory, name);
  }
}

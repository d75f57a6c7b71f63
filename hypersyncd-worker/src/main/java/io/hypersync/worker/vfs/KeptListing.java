package io.hypersync.worker.vfs;

import io.hypersync.model.state.DirEntry;
import io.hypersync.model.trie.MerkleTrie;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's copy of one directory's listing, and who may use it. One handle at a time: the
 * kernel takes up rows from whichever handle stands at the end of the copy, so two would mix them.
 *
 * <p>The copy is trusted from the open of a handle that begins it until the directory changes. What
 * holds always: <em>a copy that is not trusted is never complete for a handle that is open</em>; an
 * incomplete one the kernel does not read from. So it is dropped when the directory changes, and
 * when it is completed after that (docs/kernel-caching.md). While it is being dropped nobody gets
 * it. Thread-safe.
 */
final class KeptListing {
  /** What a handle does with the copy. */
  enum Use {
    /** Neither reads nor fills it. */
    NONE,
    /** Fills what there is. */
    FILL,
    /** Has it dropped when it is opened, and fills it. */
    REFILL,
    /** Reads it. */
    READ
  }

  /** What the kernel has. */
  private enum Copy {
    NONE,
    PARTIAL,
    COMPLETE
  }

  private Copy copy = Copy.NONE;
  private boolean inUse;
  private boolean dropping;
  private boolean trusted;
  private long untilNs;
  private @Nullable MerkleTrie<DirEntry> rows;

  /**
   * A handle is about to be opened; whoever opens it looks at the view after this call and says
   * {@link #distrust} if the directory is changing.
   *
   * @param nowNs monotonic
   */
  synchronized Use opened(long nowNs) {
    if (inUse || dropping) {
      return Use.NONE;
    }
    inUse = true;
    boolean good = trusted && nowNs - untilNs < 0;
    if (copy != Copy.NONE && good) {
      return copy == Copy.COMPLETE ? Use.READ : Use.FILL;
    }
    if (copy == Copy.PARTIAL) {
      trusted = false; // what is added would follow rows of before; dropped when it is complete
      return Use.FILL;
    }
    Use use = copy == Copy.COMPLETE ? Use.REFILL : Use.FILL;
    copy = Copy.NONE;
    rows = null;
    trusted = true;
    untilNs = nowNs + CachePolicy.KEEP_NS;
    return use;
  }

  /** The handle that used the copy is closed: the kernel takes up nothing more. */
  synchronized void closed() {
    inUse = false;
    forgetRows();
  }

  /**
   * The directory changes.
   *
   * @return whether the kernel must drop its copy before the change is visible, for the handle that
   *     is open; whoever has it do that says {@link #dropped}, and until then no other gets it
   */
  synchronized boolean changed() {
    boolean mustDrop = distrust();
    dropping |= mustDrop;
    return mustDrop;
  }

  /** The kernel has dropped its copy, after {@link #changed} had asked for it. */
  synchronized void dropped() {
    dropping = false;
  }

  /**
   * The directory may be changing while the handle that uses the copy is opened.
   *
   * @return whether the kernel must drop its copy as that handle is opened
   */
  synchronized boolean distrust() {
    trusted = false;
    forgetRows();
    return inUse && takeComplete();
  }

  /** The handle that uses the copy reads from the start, and what it gets will be these rows. */
  synchronized void pinned(MerkleTrie<DirEntry> entries) {
    rows = entries;
  }

  /** The handle that uses the copy is about to be given rows. */
  synchronized void filling() {
    copy = Copy.PARTIAL;
  }

  /**
   * The handle that uses the copy has been given all rows, and is about to be told so.
   *
   * @return whether the kernel must drop its copy first
   */
  synchronized boolean completed() {
    copy = Copy.COMPLETE;
    return !trusted && takeComplete();
  }

  /** The rows which the copy is of, or null if it is not known. */
  synchronized @Nullable MerkleTrie<DirEntry> rows() {
    return rows;
  }

  private boolean takeComplete() {
    boolean complete = copy == Copy.COMPLETE;
    if (complete) {
      copy = Copy.NONE;
    }
    return complete;
  }

  private void forgetRows() {
    if (!inUse && !trusted) {
      rows = null;
    }
  }
}

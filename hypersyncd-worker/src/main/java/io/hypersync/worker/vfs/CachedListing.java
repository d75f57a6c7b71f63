package io.hypersync.worker.vfs;

import io.hypersync.model.state.DirEntry;
import io.hypersync.model.trie.MerkleTrie;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's cached listing of one directory, and which open handle may use it. Only one handle
 * at a time: the kernel appends rows from whichever handle is positioned at the end of the listing,
 * so two handles would mix theirs.
 *
 * <p>The cached listing is trusted from the open of the handle that begins it until the directory
 * changes. Invariant: <em>while a handle that uses it is open, an untrusted listing is never
 * complete</em>, and the kernel does not read from an incomplete one. So it is dropped when the
 * directory changes, and again if it is completed after that (docs/kernel-caching.md). While a drop
 * is in progress no handle gets it. Thread-safe.
 */
final class CachedListing {
  /** How a handle uses the cached listing. */
  enum Use {
    /** Does not use it. */
    NONE,
    /** Fills it: begins one, or continues a partial one. */
    FILL,
    /** Has the kernel drop it at the open, then fills it. */
    REFILL,
    /** Reads from it. */
    READ
  }

  /** How much of the listing the kernel has cached. */
  private enum Fill {
    NONE,
    PARTIAL,
    COMPLETE
  }

  private Fill fill = Fill.NONE;
  private boolean inUse;
  private boolean dropping;
  private boolean trusted;
  private long untilNs;
  private @Nullable MerkleTrie<DirEntry> rows;

  /**
   * Decides how a new handle uses the cached listing. The caller must look at the view after this
   * call, and call {@link #invalidate} if the directory is changing.
   *
   * @param nowNs monotonic time
   */
  synchronized Use opened(long nowNs) {
    if (inUse || dropping) {
      return Use.NONE;
    }
    inUse = true;
    boolean good = trusted && nowNs - untilNs < 0;
    if (fill != Fill.NONE && good) {
      return fill == Fill.COMPLETE ? Use.READ : Use.FILL;
    }
    if (fill == Fill.PARTIAL) {
      trusted = false; // new rows would follow old ones; dropped once complete
      return Use.FILL;
    }
    Use use = fill == Fill.COMPLETE ? Use.REFILL : Use.FILL;
    fill = Fill.NONE;
    rows = null;
    trusted = true;
    untilNs = nowNs + CachePolicy.KEEP_NS;
    return use;
  }

  /** The kernel may have cached a listing for an earlier process, and it may be out of date. */
  synchronized void inherited() {
    fill = Fill.COMPLETE;
    trusted = false;
  }

  /**
   * A handle that an earlier process has left open uses the cached listing, which may be out of
   * date, and adds rows to it.
   */
  synchronized void inheritedInUse() {
    inUse = true;
    fill = Fill.PARTIAL;
    trusted = false;
  }

  /** The handle that used the cached listing was closed: the kernel adds no more rows. */
  synchronized void closed() {
    inUse = false;
    forgetRows();
  }

  /**
   * Called when an entry is about to change the directory.
   *
   * @return whether the kernel must drop its cached listing before the change is visible, because
   *     an open handle uses it; the caller then calls {@link #dropped} once that is done, and until
   *     then no other handle gets the listing
   */
  synchronized boolean changed() {
    boolean mustDrop = invalidate();
    dropping |= mustDrop;
    return mustDrop;
  }

  /** The kernel has dropped its cached listing, as {@link #changed} required. */
  synchronized void dropped() {
    dropping = false;
  }

  /**
   * Called when the directory may be changing while the handle that uses the cached listing is
   * being opened.
   *
   * @return whether the kernel must drop its cached listing as that handle is opened
   */
  synchronized boolean invalidate() {
    trusted = false;
    forgetRows();
    return inUse && takeComplete();
  }

  /** The handle that uses the cached listing reads from the start and will be given these rows. */
  synchronized void pinned(MerkleTrie<DirEntry> entries) {
    rows = entries;
  }

  /** The handle that uses the cached listing is about to be given rows. */
  synchronized void filling() {
    fill = Fill.PARTIAL;
  }

  /**
   * The handle that uses the cached listing has been given all rows, and is about to get the reply
   * without rows that says so.
   *
   * @return whether the kernel must drop its cached listing before that reply
   */
  synchronized boolean completed() {
    fill = Fill.COMPLETE;
    return !trusted && takeComplete();
  }

  /** The rows that the cached listing consists of, or null if unknown. */
  synchronized @Nullable MerkleTrie<DirEntry> rows() {
    return rows;
  }

  private boolean takeComplete() {
    boolean complete = fill == Fill.COMPLETE;
    if (complete) {
      fill = Fill.NONE;
    }
    return complete;
  }

  private void forgetRows() {
    if (!inUse && !trusted) {
      rows = null;
    }
  }
}

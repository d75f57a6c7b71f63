package io.hypersync.worker.vfs;

import io.hypersync.model.state.DirEntry;
import io.hypersync.model.trie.MerkleTrie;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's copy of one directory's listing, and who may use it: one handle at a time, for the
 * kernel takes up rows from whichever handle is at the end of the copy, and dates the copy by the
 * last one that began. A handle that begins to fill it has what was there dropped.
 *
 * <p>The copy is trusted from the open of the handle that fills it until the directory changes.
 * Rows of before the change can still be taken up while that handle is open, so the copy is not
 * used again until it is closed; then it is dropped. Thread-safe.
 */
final class KeptListing {
  /** What a handle does with the copy. */
  enum Use {
    /** Neither reads nor fills it. */
    NONE,
    /** Has it dropped and fills it. */
    FILL,
    /** Reads it. */
    READ
  }

  private boolean inUse;
  private boolean trusted;
  private boolean noted;
  private long untilNs;
  private long namesEpoch;
  private @Nullable MerkleTrie<DirEntry> filled;

  /**
   * A handle is about to be opened; whoever opens it looks at the view after this call and says
   * {@link #changed} if the directory is changing.
   *
   * @param nowNs monotonic
   * @param epoch how often all names of the mount have been distrusted: a listing without names
   *     that are kept would cost a LOOKUP for each, a new one brings them along
   */
  synchronized Use opened(long nowNs, long epoch) {
    if (inUse) {
      return Use.NONE;
    }
    inUse = true;
    noted = true;
    if (trusted && nowNs - untilNs < 0 && epoch == namesEpoch) {
      return Use.READ;
    }
    trusted = true;
    untilNs = nowNs + CachePolicy.KEEP_NS;
    namesEpoch = epoch;
    filled = null;
    return Use.FILL;
  }

  /** The handle that used the copy is closed: the kernel takes up nothing more. */
  synchronized void closed() {
    inUse = false;
  }

  /** The directory changes, or may have: the next handle must not find this copy. */
  synchronized void changed() {
    trusted = false;
  }

  /** Whether there may be a copy; it counts as dropped from now on, unless it is in use. */
  synchronized boolean take() {
    boolean may = noted;
    noted = inUse;
    return may;
  }

  /** What the handle that uses the copy reads from the start now, and thus the kernel copies. */
  synchronized void filling(MerkleTrie<DirEntry> entries) {
    filled = entries;
  }

  /** What the copy is of, or null if it has not been begun. */
  synchronized @Nullable MerkleTrie<DirEntry> filled() {
    return filled;
  }
}

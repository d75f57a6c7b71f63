package io.hypersync.model.trie;

import java.util.concurrent.atomic.AtomicLong;

/**
 * About how much heap those parts of a replica's newest state take that are dirty: newer than the
 * newest snapshot, so that no page has them and they cannot be dropped ({@link PageCache}).
 *
 * <p>It is counted where it comes about. An entry adds what it makes the state larger ({@code
 * StateWeight}), unless that is in stored pages. If it replaces the node of a stored page that adds
 * the page: what else it has is part of the new node, too, and stays in memory with it. Only what
 * becomes part of the newest state counts, not what is tried and dropped, nor what others make of
 * states of the past. Nothing is subtracted for what becomes smaller again, so the count is too
 * high, or too low by a few percent. After a snapshot it is measured anew ({@link
 * PageWriter#measuring}): what has become dirty meanwhile is added to that.
 *
 * <p>Where nothing is ever dropped, all of the state counts, and no snapshot makes it less.
 *
 * <p>One thread counts; any thread may ask.
 */
public final class DirtyMemory {
  /** Bound while an entry is applied to the newest state of a replica. */
  private static final ScopedValue<DirtyMemory> APPLIES = ScopedValue.newInstance();

  /** One part in so many of what the cache may take is much. */
  private static final int MUCH_PART = 4;

  /** Less than this is no reason for a snapshot, however small the cache is. */
  private static final long LEAST_TO_SAVE = 16L << 20;

  private final AtomicLong bytes = new AtomicLong();
  private final boolean isEverything;
  private final long muchBytes;

  /** What the last entry has replaced, in bytes of heap; used where entries are applied. */
  private long replaced;

  private DirtyMemory(boolean isEverything, long muchBytes) {
    this.isEverything = isEverything;
    this.muchBytes = muchBytes;
  }

  /** Of a replica that keeps its whole state in memory. */
  public static DirtyMemory ofEverything() {
    return new DirtyMemory(true, Long.MAX_VALUE);
  }

  static DirtyMemory of(PageCache cache) {
    return new DirtyMemory(cache.keepsAll(), Math.max(LEAST_TO_SAVE, cache.maxBytes() / MUCH_PART));
  }

  /**
   * The replica begins with a state that is in a snapshot.
   *
   * @param weight about how many bytes of heap all of it takes
   */
  public void begins(long weight) {
    if (isEverything) {
      bytes.set(weight);
    }
  }

  /**
   * Applies an entry to the newest state, and counts what that replaces.
   *
   * @return what the op returns: perhaps another state, which {@link #adopted} counts
   */
  public <T> T counting(ScopedValue.CallableOp<? extends T, RuntimeException> op) {
    replaced = 0;
    return ScopedValue.where(APPLIES, this).call(op);
  }

  /**
   * By how many bytes an entry makes the state grow, besides what it replaces; 0 or less if it does
   * not. What it has taken from stored pages counts only where nothing is ever dropped.
   *
   * @param change of the state's weight, in bytes
   * @param fresh how many bytes of what the entry has added are in no page, 0 or more
   */
  public long growth(long change, long fresh) {
    return isEverything ? change : fresh;
  }

  /**
   * Whether the state that was made last can be the newest one.
   *
   * @param change its {@link #growth}, in bytes
   * @param limit how many bytes may be dirty then
   */
  public boolean isWithin(long limit, long change) {
    return bytes.get() + replaced + change <= limit;
  }

  /**
   * The state that was made last is the newest one now.
   *
   * @param change its {@link #growth}, in bytes
   */
  public void adopted(long change) {
    bytes.addAndGet(replaced + (isEverything ? change : Math.max(change, 0)));
    replaced = 0;
  }

  /**
   * States that were adopted are dropped again.
   *
   * @param change of the state's weight, in bytes
   */
  public void dropped(long change) {
    if (isEverything) {
      bytes.addAndGet(change);
    }
  }

  /** The node of a stored page was replaced. */
  void replaced(StoredPage page) {
    if (!isEverything && APPLIES.isBound() && APPLIES.get() == this) {
      replaced += page.bytes;
    }
  }

  /**
   * It was measured.
   *
   * @param before what {@link #bytes} was when the measured state was the newest one
   * @param measured what of that state is dirty, in bytes of heap
   */
  void measured(long before, long measured) {
    if (!isEverything) {
      bytes.addAndGet(measured - before);
    }
  }

  /** About how many bytes of heap are dirty. */
  public long bytes() {
    return bytes.get();
  }

  /**
   * Whether a snapshot is due for it: so that the state takes about what the cache may take, and is
   * far from the limit.
   *
   * @param limit how many bytes may be dirty
   */
  public boolean isMuch(long limit) {
    return !isEverything && bytes.get() > Math.min(limit / 2, muchBytes);
  }

  /** Whether a snapshot makes it less. */
  public boolean isSavable() {
    return !isEverything;
  }
}

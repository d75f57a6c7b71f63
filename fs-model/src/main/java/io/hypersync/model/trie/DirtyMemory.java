package io.hypersync.model.trie;

import java.util.concurrent.atomic.AtomicLong;

/**
 * About how much heap those parts of a replica's newest state take that are dirty: newer than the
 * newest snapshot, so that no page has them and they cannot be dropped ({@link PageCache}).
 *
 * <p>It is counted where it comes about. An entry adds what it makes the state larger ({@code
 * StateWeight}). Whoever replaces the node of a stored page adds that page: what else it has is
 * part of the new node, too, and stays in memory with it. Nothing is subtracted for what becomes
 * smaller again, so the count is too high, or too low by a few percent. After a snapshot it is
 * measured anew ({@link PageWriter#measuring}): what has become dirty meanwhile is added to that.
 *
 * <p>Where nothing is ever dropped, all of the state counts, and no snapshot makes it less.
 *
 * <p>The agent's thread counts; any thread may ask.
 */
public final class DirtyMemory {
  private final AtomicLong bytes = new AtomicLong();
  private final boolean isEverything;

  private DirtyMemory(boolean isEverything) {
    this.isEverything = isEverything;
  }

  /** Of a replica that keeps its whole state in memory. */
  public static DirtyMemory ofEverything() {
    return new DirtyMemory(true);
  }

  static DirtyMemory of(PageCache cache) {
    return new DirtyMemory(cache.keepsAll());
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
   * An entry was applied.
   *
   * @param change of the state's weight, in bytes
   */
  public void grew(long change) {
    if (isEverything || change > 0) {
      bytes.addAndGet(change);
    }
  }

  /** The node of a stored page was replaced. */
  void replaced(StoredPage page) {
    if (!isEverything) {
      bytes.addAndGet(page.bytes);
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

  /** Whether a snapshot makes it less. */
  public boolean isSavable() {
    return !isEverything;
  }
}

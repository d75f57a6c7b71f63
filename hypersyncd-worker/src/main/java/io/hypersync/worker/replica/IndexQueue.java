package io.hypersync.worker.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue of items that wait for log indexes, ordered by index, and by arrival for the same index.
 * Single-threaded.
 */
public final class IndexQueue<T> implements Iterable<T> {
  private record Wait<T>(long index, long number, T item) {}

  private final PriorityQueue<Wait<T>> waits =
      new PriorityQueue<>(
          Comparator.<Wait<T>>comparingLong(Wait::index).thenComparingLong(Wait::number));
  private long waitsMade;

  /** Adds an item that waits for this index. */
  public void add(long index, T item) {
    waits.add(new Wait<>(index, waitsMade++, item));
  }

  /** Removes and returns the next item that waits for at most this index; null if there is none. */
  public @Nullable T pollReached(long index) {
    Wait<T> next = waits.peek();
    if (next == null || next.index > index) {
      return null;
    }
    waits.remove();
    return next.item;
  }

  /** Removes and returns all items, in order, whatever they wait for. */
  public List<T> drain() {
    List<T> items = new ArrayList<>(waits.size());
    while (!waits.isEmpty()) {
      items.add(waits.remove().item);
    }
    return items;
  }

  /** Removes this item, wherever it is. */
  public void remove(T item) {
    waits.removeIf(wait -> wait.item.equals(item));
  }

  public int size() {
    return waits.size();
  }

  /** All items, in no particular order. */
  @Override
  public Iterator<T> iterator() {
    return waits.stream().map(Wait::item).iterator();
  }
}

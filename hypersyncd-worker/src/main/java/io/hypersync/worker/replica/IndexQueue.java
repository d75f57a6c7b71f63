package io.hypersync.worker.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * What waits for an entry of the log, by its index; what waits for the same one in the order of its
 * arrival. Single-threaded.
 */
public final class IndexQueue<T> implements Iterable<T> {
  private record Wait<T>(long index, long number, T item) {}

  private final PriorityQueue<Wait<T>> waits =
      new PriorityQueue<>(
          Comparator.<Wait<T>>comparingLong(Wait::index).thenComparingLong(Wait::number));
  private long waitsMade;

  /** Waits for this entry. */
  public void add(long index, T item) {
    waits.add(new Wait<>(index, waitsMade++, item));
  }

  /** Takes the next one that waits for an entry up to this one; null if there is none. */
  public @Nullable T pollReached(long index) {
    Wait<T> next = waits.peek();
    if (next == null || next.index > index) {
      return null;
    }
    waits.remove();
    return next.item;
  }

  /** Takes all, whatever they wait for, in their order. */
  public List<T> drain() {
    List<T> items = new ArrayList<>(waits.size());
    while (!waits.isEmpty()) {
      items.add(waits.remove().item);
    }
    return items;
  }

  /** Waits no longer. */
  public void remove(T item) {
    waits.removeIf(wait -> wait.item.equals(item));
  }

  /** How many wait. */
  public int size() {
    return waits.size();
  }

  /** All, in no particular order. */
  @Override
  public Iterator<T> iterator() {
    return waits.stream().map(Wait::item).iterator();
  }
}

package io.hypersync.leader.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Keeps the newest entries in memory, so that sending them to a worker that keeps up needs no disk
 * read. Single-threaded.
 */
public final class TailCache {
  private final ArrayDeque<byte[]> entries = new ArrayDeque<>();
  private final long maxBytes;
  private long bytes;
  private long firstIndex;

  /**
   * An empty cache.
   *
   * @param nextIndex the index of the first entry that will be added
   * @param maxBytes of encoded entries, except that entries which are not durable are always kept
   */
  public TailCache(long nextIndex, long maxBytes) {
    this.firstIndex = nextIndex;
    this.maxBytes = maxBytes;
  }

  /**
   * Adds the next entry and drops old ones beyond the limit.
   *
   * @param durableIndex later entries are kept whatever the limit, because they cannot be read from
   *     the log yet
   */
  public void add(byte[] entry, long durableIndex) {
    entries.addLast(entry);
    bytes += entry.length;
    while (bytes > maxBytes && firstIndex <= durableIndex && entries.size() > 1) {
      bytes -= entries.removeFirst().length;
      firstIndex++;
    }
  }

  /** Index of the oldest cached entry; of the next one to be added if the cache is empty. */
  public long firstIndex() {
    return firstIndex;
  }

  /**
   * The entries from {@code from} on, which must be cached, through {@code to} or until their size
   * reaches {@code maxSliceBytes}.
   */
  public List<byte[]> slice(long from, long to, int maxSliceBytes) {
    List<byte[]> slice = new ArrayList<>();
    Iterator<byte[]> all =
        from - firstIndex > entries.size() / 2
            ? tail((int) (firstIndex + entries.size() - from))
            : skip((int) (from - firstIndex));
    int size = 0;
    for (long index = from; index <= to && size < maxSliceBytes; index++) {
      byte[] entry = all.next();
      slice.add(entry);
      size += entry.length;
    }
    return slice;
  }

  private Iterator<byte[]> skip(int count) {
    Iterator<byte[]> all = entries.iterator();
    for (int i = 0; i < count; i++) {
      all.next();
    }
    return all;
  }

  private Iterator<byte[]> tail(int count) {
    ArrayDeque<byte[]> last = new ArrayDeque<>(count);
    Iterator<byte[]> backwards = entries.descendingIterator();
    for (int i = 0; i < count; i++) {
      last.addFirst(backwards.next());
    }
    return last.iterator();
  }
}

package io.hypersync.leader.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The newest entries in memory, so that a worker which keeps up costs no disk read. */
public final class TailCache {
  private final ArrayDeque<byte[]> entries = new ArrayDeque<>();
  private final long maxBytes;
  private long bytes;
  private long firstIndex;

  /**
   * An empty cache.
   *
   * @param nextIndex the index of the first entry that will be added
   */
  public TailCache(long nextIndex, long maxBytes) {
    this.firstIndex = nextIndex;
    this.maxBytes = maxBytes;
  }

  /**
   * Adds the next entry and drops old ones beyond the limit.
   *
   * @param durableIndex entries after this one are kept whatever the limit: they cannot be read
   *     from the log yet
   */
  public void add(byte[] entry, long durableIndex) {
    entries.addLast(entry);
    bytes += entry.length;
    while (bytes > maxBytes && firstIndex <= durableIndex && entries.size() > 1) {
      bytes -= entries.removeFirst().length;
      firstIndex++;
    }
  }

  /** The oldest entry here; the next one to come if there is none. */
  public long firstIndex() {
    return firstIndex;
  }

  /** The entries from {@code from} to {@code to}, both inclusive and both here, up to a size. */
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

package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The published segments in index order; changes while readers use it. Thread-safe: a change makes
 * a new map, so that a reader sees one set of segments from the beginning to the end of its call,
 * and never reads a segment beyond the entry at which its successor begins.
 */
final class SegmentCatalog {
  private volatile NavigableMap<Long, LogSegmentFile> byFirstIndex = new TreeMap<>();

  /** Adds a segment; it replaces one that begins at the same index, which is void. */
  synchronized void add(LogSegmentFile segment) {
    NavigableMap<Long, LogSegmentFile> changed = new TreeMap<>(byFirstIndex);
    changed.put(segment.firstIndex(), segment);
    byFirstIndex = changed;
  }

  /** Takes a segment out, if it is there: reads that begin later do not find its entries. */
  synchronized void remove(long sequence) {
    NavigableMap<Long, LogSegmentFile> changed = new TreeMap<>(byFirstIndex);
    changed.values().removeIf(segment -> segment.sequence() == sequence);
    byFirstIndex = changed;
  }

  /** The lowest index that any segment may hold. */
  long firstIndex() {
    return byFirstIndex.firstKey();
  }

  /** The segment that holds an entry, or will hold it; null if the entry is before all of them. */
  @Nullable LogSegmentFile holding(long index) {
    Map.Entry<Long, LogSegmentFile> found = byFirstIndex.floorEntry(index);
    return found == null ? null : found.getValue();
  }

  /**
   * The segments, oldest first. Those that are trimmed at the same time may be missing.
   *
   * @param durableIndex the last durable entry, as it was before this call
   */
  List<LogSegment> segments(long durableIndex) throws IOException {
    NavigableMap<Long, LogSegmentFile> now = byFirstIndex;
    List<LogSegment> found = new ArrayList<>();
    for (LogSegmentFile segment : now.values()) {
      long first = segment.firstIndex();
      Long following = now.higherKey(first);
      long last = following == null ? Math.max(durableIndex, first - 1) : following - 1;
      try {
        found.add(new LogSegment(first, last, segment.files().size(segment.file())));
      } catch (NoSuchFileException gone) {
        if (!isTrimmed(first)) {
          throw gone;
        }
      }
    }
    return found;
  }

  /**
   * Delivers entries {@code from} to {@code to}, which must be durable, until {@code maxBytes} of
   * payload were delivered; at least one. Returns how many: fewer than wanted if what follows was
   * trimmed meanwhile.
   *
   * @throws IndexOutOfBoundsException if {@code from} was trimmed; nothing was delivered
   */
  int read(long from, long to, long maxBytes, RecordConsumer consumer) throws IOException {
    NavigableMap<Long, LogSegmentFile> now = byFirstIndex;
    Budget budget = new Budget(maxBytes, consumer);
    int count = 0;
    while (from + count <= to && (count == 0 || budget.left > 0)) {
      long next = from + count;
      Map.Entry<Long, LogSegmentFile> holder = now.floorEntry(next);
      if (holder == null) {
        throw trimmed(next);
      }
      Long following = now.higherKey(next);
      long last = following == null ? to : Math.min(to, following - 1);
      try {
        count += holder.getValue().read(next, last, budget.left, budget);
      } catch (NoSuchFileException gone) {
        if (!isTrimmed(next)) {
          throw gone;
        }
        if (count == 0) {
          throw trimmed(next);
        }
        return count;
      }
    }
    return count;
  }

  private boolean isTrimmed(long index) {
    return index < firstIndex();
  }

  private IndexOutOfBoundsException trimmed(long index) {
    return new IndexOutOfBoundsException(
        "entry " + index + " is not in the log any more, which begins at " + firstIndex());
  }

  private static final class Budget implements RecordConsumer {
    private final RecordConsumer consumer;
    private long left;

    Budget(long bytes, RecordConsumer consumer) {
      this.left = bytes;
      this.consumer = consumer;
    }

    @Override
    public void accept(long index, byte[] payload) {
      left -= payload.length;
      consumer.accept(index, payload);
    }
  }
}

package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The published segments in index order; grows while readers use it. Thread-safe. */
final class SegmentCatalog {
  private final ConcurrentSkipListMap<Long, LogSegmentFile> byFirstIndex =
      new ConcurrentSkipListMap<>();

  /** Adds a segment; it replaces one that begins at the same index, which is void. */
  void add(LogSegmentFile segment) {
    byFirstIndex.put(segment.firstIndex(), segment);
  }

  /** The lowest index that any segment may hold. */
  long firstIndex() {
    return byFirstIndex.firstKey();
  }

  /**
   * Delivers entries {@code from} to {@code to}, which must be durable, until {@code maxBytes} of
   * payload were delivered; at least one. Returns how many.
   */
  int read(long from, long to, long maxBytes, RecordConsumer consumer) throws IOException {
    Budget budget = new Budget(maxBytes, consumer);
    int count = 0;
    while (from + count <= to && (count == 0 || budget.left > 0)) {
      long next = from + count;
      LogSegmentFile segment = byFirstIndex.floorEntry(next).getValue();
      Map.Entry<Long, LogSegmentFile> following = byFirstIndex.higherEntry(next);
      long last = following == null ? to : Math.min(to, following.getKey() - 1);
      count += segment.read(next, last, budget.left, budget);
    }
    return count;
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

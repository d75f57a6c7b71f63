package io.hypersync.worker.replica;

import java.util.ArrayDeque;

/**
 * When entries that are not applied yet were here and known to be durable: a row for each message,
 * however many it brought.
 */
public final class ArrivalTimes {
  private final ArrayDeque<Row> rows = new ArrayDeque<>();

  private record Row(long throughIndex, long atNs) {}

  /** A message has come: the entries up to this one are here, and durable. */
  public void add(long throughIndex, long nowNs) {
    if (rows.isEmpty() || rows.getLast().throughIndex < throughIndex) {
      rows.addLast(new Row(throughIndex, nowNs));
    }
  }

  /** When this entry came, or now if that is not known. Those before it are not asked for again. */
  public long take(long index, long nowNs) {
    while (!rows.isEmpty() && rows.getFirst().throughIndex < index) {
      rows.removeFirst();
    }
    return rows.isEmpty() ? nowNs : rows.getFirst().atNs;
  }

  /** What has not been applied will come again. */
  public void clear() {
    rows.clear();
  }
}

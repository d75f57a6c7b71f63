package io.hypersync.worker.replica;

import java.util.ArrayDeque;

/**
 * When entries that are not applied yet had arrived and were known to be durable; for latency
 * figures. One row for each message, however many entries it brought.
 */
public final class ArrivalTimestamps {
  private final ArrayDeque<Row> rows = new ArrayDeque<>();

  private record Row(long throughIndex, long atNs) {}

  /** A message has arrived: the entries up to {@code throughIndex} are here and durable. */
  public void add(long throughIndex, long nowNs) {
    if (rows.isEmpty() || rows.getLast().throughIndex < throughIndex) {
      rows.addLast(new Row(throughIndex, nowNs));
    }
  }

  /**
   * When this entry was here and durable, or {@code nowNs} if unknown; forgets all earlier entries.
   */
  public long take(long index, long nowNs) {
    while (!rows.isEmpty() && rows.getFirst().throughIndex < index) {
      rows.removeFirst();
    }
    return rows.isEmpty() ? nowNs : rows.getFirst().atNs;
  }

  /** Forgets everything: what is not applied will be sent again. */
  public void clear() {
    rows.clear();
  }
}

package io.hypersync.cli.practice;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.RecordConsumer;
import java.util.List;

/**
 * A log that counts its entries and forgets them: the one worker gets them from the leader's
 * memory. Single-threaded.
 */
final class PracticeLog implements OpLog {
  private static final int MAX_PAYLOAD_BYTES = 1 << 20;

  private long appended;
  private long durable;

  /** Everything that was appended is durable now; returns whether anything was not. */
  boolean sync() {
    boolean isNews = durable < appended;
    durable = appended;
    return isNews;
  }

  @Override
  public void append(long index, byte[] payload, boolean needsChunkSync) {
    if (index != appended + 1) {
      throw new IllegalArgumentException("entry " + index + " after " + appended);
    }
    appended = index;
  }

  @Override
  public boolean mayWait() {
    return false;
  }

  @Override
  public LoneCommit tryLoneCommit() {
    return this::sync;
  }

  @Override
  public int maxPayloadBytes() {
    return MAX_PAYLOAD_BYTES;
  }

  @Override
  public long firstIndex() {
    return 1;
  }

  @Override
  public long appendedIndex() {
    return appended;
  }

  @Override
  public long durableIndex() {
    return durable;
  }

  @Override
  public byte[] read(long index) {
    throw new IndexOutOfBoundsException("entry " + index + " is not kept");
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) {
    throw new IndexOutOfBoundsException("entry " + fromIndex + " is not kept");
  }

  @Override
  public long trim(long throughIndex) {
    return 1;
  }

  @Override
  public List<LogSegment> segments() {
    return List.of(new LogSegment(1, durable, 0));
  }

  @Override
  public void close() {}
}

package io.hypersync.leader;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An op log in memory, which the test syncs. */
public final class MemoryOpLog implements OpLog {
  private final List<byte[]> entries = new ArrayList<>();
  private final List<Boolean> chunkSyncs = new ArrayList<>();
  private long first = 1;
  private long durable;
  private int segmentEntries = Integer.MAX_VALUE;
  private long segmentBytes;
  private boolean full;
  private boolean nearlyFull;
  private boolean busy;
  private boolean givesWriting;

  /** Makes everything appended so far durable. */
  public MemoryOpLog sync() {
    durable = entries.size();
    return this;
  }

  /** Sets whether {@link #tryLoneCommit} succeeds while nothing waits to be written. */
  public void givesWriting(boolean now) {
    givesWriting = now;
  }

  /** Sets how many entries each segment has, and how long its file is. */
  public void segments(int ofEntries, long ofBytes) {
    segmentEntries = ofEntries;
    segmentBytes = ofBytes;
  }

  /** Sets whether {@link #append} fails for lack of room. */
  public void full(boolean nowFull) {
    full = nowFull;
  }

  /** Sets what {@link #isNearlyFull} says. */
  public void nearlyFull(boolean now) {
    nearlyFull = now;
  }

  @Override
  public boolean isNearlyFull() {
    return nearlyFull;
  }

  /** Sets whether {@link #mayWait} is true, as while a segment is being allocated. */
  public void busy(boolean nowBusy) {
    busy = nowBusy;
  }

  /** Whether the entry was appended with {@code needsChunkSync}. */
  public boolean syncsChunks(long index) {
    return chunkSyncs.get((int) index - 1);
  }

  @Override
  public void append(long index, byte[] payload, boolean needsChunkSync) throws OpLogFullException {
    if (full) {
      throw new OpLogFullException("full", new IOException("ENOSPC"));
    }
    if (index != entries.size() + 1) {
      throw new IllegalArgumentException("entry " + index + " after " + entries.size());
    }
    entries.add(payload);
    chunkSyncs.add(needsChunkSync);
  }

  @Override
  public @Nullable LoneCommit tryLoneCommit() {
    if (!givesWriting || durable != entries.size()) {
      return null;
    }
    return () -> {
      var _ = sync();
    };
  }

  @Override
  public boolean mayWait() {
    return busy;
  }

  @Override
  public int maxPayloadBytes() {
    return 1 << 20;
  }

  @Override
  public long firstIndex() {
    return first;
  }

  /** Each entry counts as a segment of its own. */
  @Override
  public long trim(long throughIndex) {
    first = Math.max(first, Math.min(throughIndex, durable - 1) + 1);
    return first;
  }

  @Override
  public List<LogSegment> segments() {
    List<LogSegment> segments = new ArrayList<>();
    for (long from = first; from == first || from <= durable; from += segmentEntries) {
      long last = Math.min(durable, from + segmentEntries - 1);
      segments.add(new LogSegment(from, last, segmentBytes));
    }
    return segments;
  }

  @Override
  public long appendedIndex() {
    return entries.size();
  }

  @Override
  public long durableIndex() {
    return durable;
  }

  @Override
  public byte[] read(long index) {
    if (index < first || index > durable) {
      throw new IndexOutOfBoundsException("entry " + index + " of " + durable);
    }
    return entries.get((int) index - 1);
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) {
    if (fromIndex < first) {
      throw new IndexOutOfBoundsException("entry " + fromIndex + ", the first is " + first);
    }
    int count = 0;
    long bytes = 0;
    for (long index = fromIndex; index <= durable && bytes < maxBytes; index++) {
      byte[] payload = read(index);
      consumer.accept(index, payload);
      bytes += payload.length;
      count++;
    }
    return count;
  }

  @Override
  public void close() {}
}

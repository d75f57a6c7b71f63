package io.hypersync.leader;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** An op log in memory whose sync is called by the test. */
public final class MemoryOpLog implements OpLog {
  private final List<byte[]> entries = new ArrayList<>();
  private final List<Boolean> chunkSyncs = new ArrayList<>();
  private long durable;
  private boolean full;
  private boolean busy;
  private boolean givesWriting;

  /** Everything appended so far is durable. */
  public MemoryOpLog sync() {
    durable = entries.size();
    return this;
  }

  /** Whether the writing can be taken over when nothing waits to be written. */
  public void givesWriting(boolean now) {
    givesWriting = now;
  }

  /** Whether there is no room. */
  public void full(boolean nowFull) {
    full = nowFull;
  }

  /** Whether the next segment is not ready yet. */
  public void busy(boolean nowBusy) {
    busy = nowBusy;
  }

  /** Whether the entry asked for its chunks to be synced. */
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
  public boolean takeOver() {
    return givesWriting && durable == entries.size();
  }

  @Override
  public void writeHere() {
    var _ = sync();
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
    return 1;
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
    if (index < 1 || index > durable) {
      throw new IndexOutOfBoundsException("entry " + index + " of " + durable);
    }
    return entries.get((int) index - 1);
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) {
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

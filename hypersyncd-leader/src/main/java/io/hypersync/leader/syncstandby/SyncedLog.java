package io.hypersync.leader.syncstandby;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leader's log for all who ask what is durable: an entry is when the standbys that are waited
 * for have it, too. This is the one place where that is said, so acknowledgements, what workers
 * show, snapshots, trimming and reports follow it alike. A single entry behind that can be read,
 * for the Hello of a standby that has it already.
 *
 * @param own the log on this disk
 */
public record SyncedLog(OpLog own, SyncStandbys standbys) implements OpLog {
  @Override
  public long durableIndex() {
    return standbys.durableIndex();
  }

  @Override
  public void append(long index, byte[] payload, boolean needsChunkSync) throws OpLogFullException {
    own.append(index, payload, needsChunkSync);
  }

  @Override
  public boolean mayWait() {
    return own.mayWait();
  }

  @Override
  public @Nullable LoneCommit tryLoneCommit() {
    return own.tryLoneCommit();
  }

  @Override
  public int maxPayloadBytes() {
    return own.maxPayloadBytes();
  }

  @Override
  public long firstIndex() {
    return own.firstIndex();
  }

  @Override
  public long appendedIndex() {
    return own.appendedIndex();
  }

  @Override
  public byte[] read(long index) throws IOException {
    return own.read(index);
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) throws IOException {
    long durable = durableIndex();
    int[] delivered = new int[1];
    int _ =
        own.read(
            fromIndex,
            maxBytes,
            (index, payload) -> {
              if (index <= durable) {
                consumer.accept(index, payload);
                delivered[0]++;
              }
            });
    return delivered[0];
  }

  @Override
  public long trim(long throughIndex) throws IOException {
    return own.trim(throughIndex);
  }

  @Override
  public List<LogSegment> segments() throws IOException {
    return own.segments();
  }

  @Override
  public boolean isNearlyFull() {
    return own.isNearlyFull();
  }

  @Override
  public long preallocatedBytes() {
    return own.preallocatedBytes();
  }

  /** Closes the log on this disk. */
  @Override
  public void close() throws IOException {
    own.close();
  }
}

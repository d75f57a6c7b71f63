package io.hypersync.leader.oplog;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The durable total-order log of canonical entries (hypersync.md 8, 22.1). An entry is acknowledged
 * only when {@link #durableIndex()} has reached it (hypersync.md 6.3.1).
 *
 * <p>One thread appends; any thread reads. Payloads are opaque.
 */
public interface OpLog extends AutoCloseable {

  /**
   * Accepts the next entry and returns without waiting for the disk. Space for everything accepted
   * is already allocated, so an accepted entry cannot fail for lack of space. Blocks while the next
   * segment is being allocated, if the log is written faster than that; see {@link #mayWait}.
   *
   * @param index must be {@link #appendedIndex()} + 1
   * @param payload the canonical entry, at most {@link #maxPayloadBytes()}; not copied, so it must
   *     not change afterwards
   * @param needsChunkSync the batch that holds this entry becomes durable only after {@link
   *     ChunkSync#sync()} has returned too
   * @throws OpLogFullException if there is no room (ENOSPC); nothing was accepted and the same
   *     index may be tried again
   * @throws OpLogFailedException if the log has failed or is closed
   * @throws IllegalArgumentException if the index is not the next one, or the payload is too large
   */
  void append(long index, byte[] payload, boolean needsChunkSync) throws OpLogFullException;

  /**
   * Whether {@link #append} could block now because the next segment is not ready. To be called by
   * the thread that appends.
   */
  boolean mayWait();

  /**
   * Takes writing from the log's own thread, for the one entry that the appending thread is about
   * to append. To be called by that thread.
   *
   * @return what must be closed after that entry was appended, and writes it; null, without any
   *     effect, if entries are being written or wait to be
   */
  @Nullable LoneCommit tryLoneCommit();

  /** The largest payload that {@link #append} takes, in bytes. */
  int maxPayloadBytes();

  /** The lowest index that the log still holds; {@code appendedIndex() + 1} if it holds none. */
  long firstIndex();

  /** The index of the last accepted entry; {@code firstIndex() - 1} if there is none. */
  long appendedIndex();

  /** Every entry up to and including this index is on stable storage. Never decreases. */
  long durableIndex();

  /**
   * Reads the payload of one durable entry.
   *
   * @param index from {@link #firstIndex()} to {@link #durableIndex()}
   * @throws IndexOutOfBoundsException if the index is outside that range, perhaps only since a
   *     {@link #trim} at the same time
   * @throws OpLogCorruptException if the stored record is damaged
   */
  byte[] read(long index) throws IOException;

  /**
   * Hands durable entries to the consumer in index order, from {@code fromIndex} on, until {@code
   * maxBytes} of payload have been handed over or the durable entries are exhausted.
   *
   * @param fromIndex from {@link #firstIndex()} to {@link #durableIndex()} + 1
   * @param maxBytes at least one entry is delivered even if it is larger
   * @return how many entries were delivered
   * @throws IndexOutOfBoundsException if the index is outside that range, perhaps only since a
   *     {@link #trim} at the same time; nothing was delivered then
   * @throws OpLogCorruptException if a stored record is damaged
   */
  int read(long fromIndex, long maxBytes, RecordConsumer consumer) throws IOException;

  /**
   * Removes old entries for good, to bound the disk space (hypersync.md 14.1): whole segments, the
   * oldest first, as long as all their entries are up to {@code throughIndex}. The newest segment
   * always stays, so {@code throughIndex + 1} and all that follow do.
   *
   * <p>Any thread may call it, one after another; not the one that appends, because it waits for
   * the disk. Neither that thread nor the writer waits for it. After a crash at any point the log
   * is a suffix of what it was, without a gap.
   *
   * <p>An entry may go when a snapshot that has it is durable ({@code SnapshotManager#baseIndex}),
   * and its intent is stored ({@code IntentIndex#through}). Snapshots that are taken later look at
   * the entries behind that one.
   *
   * @param throughIndex a durable index; lower than {@link #firstIndex()} to remove nothing
   * @return the new {@link #firstIndex()}
   * @throws IllegalArgumentException if the index is not durable
   * @throws OpLogFailedException if the log has failed or is closed
   * @throws IOException if the disk fails; some of the segments may be gone. The log goes on
   *     working. The files of a segment that was not deleted to the end go at the next start
   */
  long trim(long throughIndex) throws IOException;

  /**
   * The segments that the log holds, oldest first; at least one. Any thread may call it.
   *
   * @throws IOException if the size of a file cannot be read
   */
  List<LogSegment> segments() throws IOException;

  /**
   * Whether there is no other segment and this one is nearly full. What is left is for entries that
   * free something: without them a full disk would stay full. To be asked only if nothing need be
   * waited for ({@link #mayWait}).
   */
  default boolean isNearlyFull() {
    return false;
  }

  /**
   * Bytes of disk space that the log has allocated ahead of use. Any thread may call it;
   * approximate while something is written.
   */
  default long preallocatedBytes() {
    return 0;
  }

  /** Makes everything accepted durable (unless the log has failed) and releases the files. */
  @Override
  void close() throws IOException;
}

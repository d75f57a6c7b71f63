package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes and syncs, as a rule on a thread of its own: group commit without a timer (hypersync.md
 * 6.3.1). Whatever has queued up while one sync ran is the next batch; an idle log syncs at once. A
 * batch never spans two segments and is not begun before the previous one is durable; recovery
 * depends on both.
 *
 * <p>The thread that hands entries over may write one itself while there is nothing else to do
 * ({@link #takeOver}). Whoever writes holds {@link #writing}, which passes all that a batch needs
 * from one to the other.
 */
final class BatchWriter {
  private final OpLogOptions options;
  private final OpLogListener listener;
  private final ParallelChunkSync chunkSync;
  private final Consumer<SegmentAppender> retire;
  private final SegmentCatalog catalog;
  private final Queue<PendingEntry> queue = new ConcurrentLinkedQueue<>();
  private final List<PendingEntry> batch = new ArrayList<>();
  private final Thread thread;
  private final ReentrantLock writing = new ReentrantLock();

  /** Entries stay with the thread that offers them, which has taken over; only it looks here. */
  private boolean writesHere;

  private volatile boolean idle;
  private volatile boolean closing;

  /** The segment is; guarded by {@link #writing}. */
  private boolean closed;

  private volatile long durableIndex;
  private volatile @Nullable OpLogFailedException failure;
  private SegmentAppender segment;
  private PositionIndex positions;
  private Hash previous;

  BatchWriter(
      OpLogOptions options,
      OpLogListener listener,
      ParallelChunkSync chunkSync,
      Consumer<SegmentAppender> retire,
      SegmentCatalog catalog,
      OpenSegment begun) {
    this.options = options;
    this.listener = listener;
    this.chunkSync = chunkSync;
    this.retire = retire;
    this.catalog = catalog;
    this.segment = begun.segment();
    this.positions = begun.positions();
    this.previous = begun.lastHash();
    this.durableIndex = begun.lastIndex();
    this.thread = Thread.ofPlatform().name("oplog-writer").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  long durableIndex() {
    return durableIndex;
  }

  /** Why nothing can be written any more, or null. */
  @Nullable OpLogFailedException failure() {
    return failure;
  }

  /** Hands over an entry; called by one thread. */
  void offer(PendingEntry entry) {
    queue.offer(entry);
    if (!writesHere) {
      wakeThread();
    }
  }

  /** See {@link OpLog#takeOver}; called by the thread that offers. */
  boolean takeOver() {
    if (!idle || !writing.tryLock()) {
      return false;
    }
    // Only now: the thread may have taken an entry, and failed with it, since it was idle.
    writesHere = isUsable() && queue.isEmpty();
    if (!writesHere) {
      writing.unlock();
    }
    return writesHere;
  }

  /** See {@link OpLog#writeHere}. */
  void writeHere() {
    writesHere = false;
    try {
      PendingEntry only = queue.size() == 1 ? queue.peek() : null;
      if (isUsable() && only != null && only.rollTo() == null && !only.needsChunkSync()) {
        commit();
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      writing.unlock();
    }
    if (!queue.isEmpty()) {
      wakeThread();
    }
  }

  /** While {@link #writing} is held. */
  private boolean isUsable() {
    return failure == null && !closed;
  }

  private void wakeThread() {
    VarHandle.fullFence(); // either this thread sees idle, or the writer sees the entry
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (awaitEntry()) {
      writing.lock();
      try {
        if (isUsable() && !queue.isEmpty()) { // else it was written by who had taken over
          commit();
        }
      } catch (Throwable e) {
        fail(e); // before anybody else may write
      } finally {
        writing.unlock();
      }
    }
  }

  /** Waits for an entry; false when the log has failed, or is closed and all has been written. */
  private boolean awaitEntry() {
    while (queue.isEmpty()) {
      if (closing && queue.isEmpty()) {
        return false;
      }
      idle = true;
      VarHandle.fullFence();
      if (queue.isEmpty() && !closing) {
        LockSupport.park(this);
      }
      idle = false;
    }
    return failure == null;
  }

  private void commit() throws IOException {
    long bytes = gather();
    PendingEntry first = batch.getFirst();
    PendingEntry last = batch.getLast();
    if (first.rollTo() != null) {
      roll(first.rollTo(), first.index());
    }
    boolean chunks = batch.stream().anyMatch(PendingEntry::needsChunkSync);
    if (chunks) {
      chunkSync.begin();
    }
    long watermark = durableIndex;
    for (PendingEntry entry : batch) {
      previous = segment.append(entry.index(), watermark, previous, entry.payload());
      positions.add(entry.index(), segment.lastPosition());
    }
    segment.sync();
    if (chunks) {
      chunkSync.await();
    }
    durableIndex = last.index();
    listener.onDurable(
        new CommittedBatch(
            last.index(),
            batch.size(),
            bytes,
            System.nanoTime() - first.acceptedAtNanos(),
            chunks));
  }

  /** Moves what has queued up into {@link #batch}, within the limits; returns its payload bytes. */
  private long gather() {
    batch.clear();
    long bytes = 0;
    while (batch.size() < options.batchMaxOps()) {
      PendingEntry next = queue.peek();
      if (next == null
          || (!batch.isEmpty()
              && (next.rollTo() != null
                  || bytes + next.payload().length > options.batchMaxBytes()))) {
        break;
      }
      queue.poll();
      batch.add(next);
      bytes += next.payload().length;
    }
    return bytes;
  }

  private void roll(SegmentAppender next, long firstIndex) throws IOException {
    retire.accept(segment);
    segment = next;
    OpenSegment begun = OpenSegment.begin(next, firstIndex, previous, List.of());
    positions = begun.positions();
    catalog.add(segment.readable(firstIndex, positions));
  }

  private void fail(Throwable cause) {
    OpLogFailedException failed =
        new OpLogFailedException("op log failed after index " + durableIndex, cause);
    failure = failed;
    listener.onFailure(failed);
  }

  /** Writes and syncs what has been handed over, ends the thread and releases the segment. */
  void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (thread.isAlive()) {
      SegmentPreparer.joinUninterruptibly(thread);
    }
    writing.lock(); // who has taken over may be at it still
    try {
      closed = true;
      for (PendingEntry entry = queue.poll(); entry != null; entry = queue.poll()) {
        if (entry.rollTo() != null) { // only after a failure
          entry.rollTo().close();
        }
      }
      segment.close();
    } finally {
      writing.unlock();
    }
  }
}

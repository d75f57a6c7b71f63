package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.invariant.Invariant;
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
 * Writes and syncs entries, usually on a thread of its own: group commit without a timer
 * (hypersync.md 6.3.1). Whatever has queued up while one sync ran is the next batch; an idle log
 * syncs at once. A batch never spans two segments and is not begun before the previous one is
 * durable; recovery depends on both.
 *
 * <p>The thread that hands entries over may write one itself while the writer is idle ({@link
 * #tryLoneCommit}). Whoever writes holds the lock {@link #writing}, which also publishes the fields
 * that a batch needs from one thread to the other.
 *
 * <p>When the log is idle, or closed, a watermark records up to where it is durable ({@link
 * #writeWatermark}): without it, damage to the last batch could not be distinguished from a torn
 * batch that was never acknowledged (decision 018). The watermark's page is built while {@link
 * #writing} is held and written after it is released, so no batch waits for it.
 */
final class BatchWriter implements IdleWatermark.Writer {
  private final OpLogOptions options;
  private final OpLogListener listener;
  private final ParallelChunkSync chunkSync;
  private final Consumer<SegmentAppender> retire;
  private final SegmentCatalog catalog;
  private final LogClock clock;
  private final IdleWatermark idleWatermark;
  private final Queue<PendingEntry> queue = new ConcurrentLinkedQueue<>();
  private final List<PendingEntry> batch = new ArrayList<>();
  private final Thread thread;
  private final ReentrantLock writing = new ReentrantLock();

  /**
   * Whether the offering thread has taken over, so that offered entries stay with it; used by that
   * thread only.
   */
  private boolean writesHere;

  /** The only one: it has no state of its own, and a lone commit allocates nothing for it. */
  private final LoneCommit loneCommit = this::writeHere;

  private volatile boolean idle;
  private volatile boolean closing;

  /** Whether the segment is closed; guarded by {@link #writing}. */
  private boolean closed;

  /** Whether {@link #writing} is held only to build a watermark page, which takes a moment. */
  private volatile boolean reserving;

  /** Time of the last commit; written before {@link #durableIndex}. */
  private long lastCommitNanos;

  private volatile long durableIndex;

  /** A watermark record or a segment header covers entries up to this index. */
  private volatile long watermarkedIndex;

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
      OpenSegment begun,
      LogClock clock) {
    this.options = options;
    this.listener = listener;
    this.chunkSync = chunkSync;
    this.retire = retire;
    this.catalog = catalog;
    this.segment = begun.segment();
    this.positions = begun.positions();
    this.previous = begun.lastHash();
    this.durableIndex = begun.lastIndex();
    this.watermarkedIndex = begun.lastIndex();
    this.clock = clock;
    this.lastCommitNanos = clock.nanoTime();
    this.idleWatermark = new IdleWatermark(clock, this);
    this.thread = Thread.ofPlatform().name("oplog-writer").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
    idleWatermark.start();
  }

  long durableIndex() {
    return durableIndex;
  }

  /** Why nothing can be written any more; null while the log works. */
  @Nullable OpLogFailedException failure() {
    return failure;
  }

  /** Queues an entry; always called by the same thread. */
  void offer(PendingEntry entry) {
    queue.offer(entry);
    if (!writesHere) {
      wakeThread();
    }
  }

  /** See {@link OpLog#tryLoneCommit}; called by the thread that offers. */
  @Nullable LoneCommit tryLoneCommit() {
    if (!idle) {
      return null;
    }
    if (!writing.tryLock()) {
      if (!reserving) {
        return null;
      }
      writing.lock(); // held only to build a page
    }
    // Only checked now: since it was idle, the writer may have taken an entry, and failed to write
    // it.
    writesHere = isUsable() && queue.isEmpty();
    if (!writesHere) {
      writing.unlock();
      return null;
    }
    return loneCommit;
  }

  /** See {@link LoneCommit#close}. */
  private void writeHere() {
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

  /** To be called while {@link #writing} is held. */
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
        if (isUsable() && !queue.isEmpty()) { // else whoever took over has written it
          commit();
        }
      } catch (Throwable e) {
        fail(e); // before the lock lets others write
      } finally {
        writing.unlock();
      }
    }
  }

  /** Waits for an entry; false if the log has failed, or is closed and everything was written. */
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
    boolean chunks = needsChunkSync();
    if (chunks) {
      chunkSync.begin();
    }
    long watermark = durableIndex;
    long expected = watermark;
    for (PendingEntry entry : batch) {
      expected++;
      Invariant.LOG_GROWS_BY_ONE.check(entry.index() == expected);
      if (entry.index() != expected) { // else found only at the next start
        throw new IllegalStateException(
            "entry " + entry.index() + " where " + expected + " was due");
      }
      previous = segment.append(entry.index(), watermark, previous, entry.payload());
      positions.add(entry.index(), segment.lastPosition());
    }
    segment.sync();
    if (chunks) {
      chunkSync.await();
    }
    long now = clock.nanoTime();
    lastCommitNanos = now;
    Invariant.DURABLE_INDEX_NEVER_FALLS.check(last.index() > durableIndex);
    durableIndex = last.index();
    listener.onDurable(
        new CommittedBatch(
            last.index(), batch.size(), bytes, now - first.acceptedAtNanos(), chunks));
    idleWatermark.committed();
  }

  private boolean needsChunkSync() {
    for (PendingEntry entry : batch) {
      if (entry.needsChunkSync()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean isDue() {
    return watermarkedIndex < durableIndex && failure == null;
  }

  @Override
  public long lastCommitNanos() {
    return lastCommitNanos;
  }

  @Override
  public boolean writeWatermark() {
    if (!writing.tryLock()) {
      return false; // not idle: a batch is being written
    }
    SegmentAppender appender;
    SegmentAppender.Watermark watermark;
    reserving = true;
    try {
      if (!isUsable() || !isDue() || !queue.isEmpty()) {
        return false;
      }
      appender = segment;
      watermark = appender.reserveWatermark(durableIndex, previous);
    } finally {
      reserving = false;
      writing.unlock();
    }
    try {
      appender.write(watermark);
      watermarkedIndex = Math.max(watermarkedIndex, watermark.durableIndex());
      return true;
    } catch (Throwable e) {
      writing.lock();
      try {
        fail(e);
      } finally {
        writing.unlock();
      }
      return false;
    }
  }

  /** Moves queued entries into {@link #batch}, within its limits; returns their payload bytes. */
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
    OpenSegment begun = OpenSegment.begin(next, options.roots(), firstIndex, previous, List.of());
    positions = begun.positions();
    catalog.add(segment.readable(firstIndex, positions));
    watermarkedIndex = firstIndex - 1;
  }

  /** To be called while {@link #writing} is held. */
  private void fail(Throwable cause) {
    if (failure != null) {
      return;
    }
    OpLogFailedException failed =
        new OpLogFailedException("op log failed after index " + durableIndex, cause);
    failure = failed;
    listener.onFailure(failed);
  }

  /** Writes and syncs all queued entries, writes a watermark, and closes the segment. */
  void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (thread.isAlive()) {
      SegmentPreparer.joinUninterruptibly(thread);
    }
    idleWatermark.close();
    writing.lock(); // a thread that took over may still be writing
    try {
      writeWatermarkAtEnd();
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

  private void writeWatermarkAtEnd() {
    if (isUsable() && isDue()) {
      try {
        segment.write(segment.reserveWatermark(durableIndex, previous));
        watermarkedIndex = durableIndex;
      } catch (IOException e) {
        fail(e);
      }
    }
  }
}

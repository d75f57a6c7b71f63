package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the entries of a segment, read ahead by a separate thread: finding a record,
 * checking its CRC32C and hashing it are a quarter of the cost of a replay. That thread makes no
 * decisions; which entries are returned depends on the bytes alone, whatever the timing of the two
 * threads.
 *
 * <p>The scanner belongs to the reading thread from the construction until {@link #close} has
 * returned. Immutable batches of entries are passed through a bounded queue.
 */
final class EntryReader implements Closeable {
  /** Name of the reading thread. */
  static final String THREAD_NAME = "oplog-read-ahead";

  /** How many batches may wait in the queue; bounds the memory, together with the batch size. */
  private static final int BATCHES_AHEAD = 4;

  private static final int BATCH_ENTRIES = 512;
  private static final int BATCH_BYTES = 1 << 20;
  private static final long LOOK_MS = 20;

  private final SegmentScanner scanner;
  private final long segmentId;
  private final BlockingQueue<Batch> batches = new ArrayBlockingQueue<>(BATCHES_AHEAD);
  private final Thread thread;
  private volatile boolean stopped;
  private Batch current = new Batch(List.of(), false, null);
  private int taken;

  /**
   * An entry's record.
   *
   * @param hash of all its bytes, which the next record names as its predecessor
   */
  record Entry(LogRecord record, Hash hash) {}

  /**
   * Entries that are passed to the consumer together.
   *
   * @param last whether no batch follows
   * @param failure why reading ended; null if the end of the entries was reached or more follow
   */
  private record Batch(List<Entry> entries, boolean last, @Nullable Throwable failure) {}

  /**
   * Starts reading.
   *
   * @param from the position of the first entry, or an earlier one
   */
  EntryReader(SegmentScanner scanner, long from, long segmentId) {
    this.scanner = scanner;
    this.segmentId = segmentId;
    this.thread = Thread.ofPlatform().daemon().name(THREAD_NAME).start(() -> read(from));
  }

  /**
   * The next entry; blocks until it is read. Unchecked exceptions of the reading thread are
   * rethrown here.
   *
   * @return null if no entry follows
   * @throws IOException if the file cannot be read
   */
  @Nullable Entry next() throws IOException {
    while (taken == current.entries.size()) {
      switch (current.failure) {
        case null -> {}
        case IOException unreadable ->
            throw new IOException(
                "the op log cannot be read: " + unreadable.getMessage(), unreadable);
        case RuntimeException fault -> throw fault;
        case Error fault -> throw fault;
        case Throwable other -> throw new IllegalStateException(other);
      }
      if (current.last) {
        return null;
      }
      current = take();
      taken = 0;
    }
    return current.entries.get(taken++);
  }

  private Batch take() throws IOException {
    try {
      while (true) {
        boolean over = !thread.isAlive();
        Batch batch = batches.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          return batch;
        }
        if (over) {
          throw new IllegalStateException("the thread that reads the op log ahead has ended");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the op log was read", e);
    }
  }

  /** Ends the reading thread, whether or not it has read everything, and waits for its end. */
  @Override
  public void close() {
    stopped = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(long from) {
    List<Entry> entries = new ArrayList<>();
    try {
      long position = from;
      long bytes = 0;
      LogRecord record;
      while (!stopped && (record = scanner.entry(position, segmentId)) != null) {
        entries.add(new Entry(record, record.hash()));
        position = record.end();
        bytes += record.bytes().length;
        if (entries.size() == BATCH_ENTRIES || bytes >= BATCH_BYTES) {
          handOver(new Batch(entries, false, null));
          entries = new ArrayList<>();
          bytes = 0;
        }
      }
      handOver(new Batch(entries, true, null));
    } catch (IOException | RuntimeException | Error e) {
      handOver(new Batch(entries, true, e));
    }
  }

  private void handOver(Batch batch) {
    boolean taken = false;
    while (!taken && !stopped) {
      try {
        taken = batches.offer(batch, LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        stopped = true; // nobody interrupts this thread
      }
    }
  }
}

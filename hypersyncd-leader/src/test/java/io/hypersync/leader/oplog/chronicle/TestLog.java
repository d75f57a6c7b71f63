package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An op log for tests: remembers what was recovered and committed, and verifies payloads. Unless a
 * test passes its own clock, time stands still, so the log writes no watermark by itself.
 */
final class TestLog implements AutoCloseable, OpLogListener {
  static final OpLogOptions SMALL = OpLogOptions.DEFAULT.withSegmentBytes(256 << 10);

  final List<Long> recovered = new ArrayList<>();
  final List<CommittedBatch> batches = Collections.synchronizedList(new ArrayList<>());
  final ChronicleOpLog log;
  private Runnable withdrawn = () -> {};
  private volatile @Nullable OpLogFailedException failure;

  private TestLog(
      Path directory,
      OpLogOptions options,
      ChunkSync chunkSync,
      SegmentWrite disk,
      TreeDeletion deletion,
      LogClock clock,
      long firstNeeded,
      RecoveryListener veto)
      throws IOException {
    RecoveryListener recovery =
        (index, payload) -> {
          if (veto.onRecord(index, payload) == Verdict.CUT) {
            return Verdict.CUT;
          }
          assertArrayEquals(payload(index), payload, "payload of recovered index " + index);
          if (!recovered.isEmpty()) {
            assertEquals(recovered.getLast() + 1, index, "recovered indexes are contiguous");
          }
          recovered.add(index);
          return Verdict.KEEP;
        };
    this.log =
        ChronicleOpLog.open(
            directory,
            options,
            chunkSync,
            needing(firstNeeded, recovery),
            this,
            disk,
            deletion,
            clock);
  }

  static TestLog open(Path directory) throws IOException {
    return open(directory, SMALL);
  }

  static TestLog open(Path directory, OpLogOptions options) throws IOException {
    return open(directory, options, SegmentWrite.DSYNC);
  }

  static TestLog open(Path directory, OpLogOptions options, ChunkSync chunkSync)
      throws IOException {
    return new TestLog(
        directory,
        options,
        chunkSync,
        SegmentWrite.DSYNC,
        TreeDeletion.FILE_BY_FILE,
        new ManualLogClock(),
        0,
        (index, payload) -> Verdict.KEEP);
  }

  static TestLog open(Path directory, OpLogOptions options, SegmentWrite disk) throws IOException {
    return open(directory, options, disk, new ManualLogClock());
  }

  static TestLog open(Path directory, OpLogOptions options, SegmentWrite disk, LogClock clock)
      throws IOException {
    return new TestLog(
        directory,
        options,
        ChunkSync.NONE,
        disk,
        TreeDeletion.FILE_BY_FILE,
        clock,
        0,
        (index, payload) -> Verdict.KEEP);
  }

  static TestLog open(Path directory, TreeDeletion deletion) throws IOException {
    return new TestLog(
        directory,
        SMALL,
        ChunkSync.NONE,
        SegmentWrite.DSYNC,
        deletion,
        new ManualLogClock(),
        0,
        (index, payload) -> Verdict.KEEP);
  }

  private static TestLog open(Path directory, long firstNeeded, RecoveryListener veto)
      throws IOException {
    return new TestLog(
        directory,
        SMALL,
        ChunkSync.NONE,
        SegmentWrite.DSYNC,
        TreeDeletion.FILE_BY_FILE,
        new ManualLogClock(),
        firstNeeded,
        veto);
  }

  /** Opens a log of which recovery needs the entries from that one on. */
  static TestLog openNeeding(Path directory, long firstNeeded) throws IOException {
    return open(directory, firstNeeded, (index, payload) -> Verdict.KEEP);
  }

  /** Needs the entries from that one on; with 0 all that there are. */
  static RecoveryListener needing(long firstNeeded, RecoveryListener recovery) {
    return new RecoveryListener() {
      @Override
      public Verdict onRecord(long index, byte[] payload) {
        return recovery.onRecord(index, payload);
      }

      @Override
      public long firstNeeded(long first) {
        return firstNeeded == 0 ? first : firstNeeded;
      }
    };
  }

  /** Appends entries until the log has that many segments. */
  void fillSegments(int count) throws IOException {
    while (log.segments().size() < count) {
      appendDurably(20);
    }
  }

  /** Opens a log whose recovery cuts from that index on. */
  static TestLog openCuttingAt(Path directory, long firstCut) throws IOException {
    return open(directory, 0, (index, payload) -> index >= firstCut ? Verdict.CUT : Verdict.KEEP);
  }

  /** The payload that every test gives an index: 0 to 700 bytes, different for every index. */
  static byte[] payload(long index) {
    Random random = new Random(index * 0x9E3779B97F4A7C15L);
    byte[] payload = new byte[random.nextInt(700)];
    random.nextBytes(payload);
    return payload;
  }

  /** Appends the next entries without waiting. */
  void append(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      long index = log.appendedIndex() + 1;
      log.append(index, payload(index), false);
    }
  }

  /** Appends the next entries, each one a batch of its own. */
  void appendOneByOne(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      append(1);
      awaitDurable(log.appendedIndex());
    }
  }

  /** Appends the next entries and waits until the last one is durable. */
  void appendDurably(int count) throws IOException {
    append(count);
    awaitDurable(log.appendedIndex());
  }

  /** Waits for an index; rethrows a failure of the log. */
  void awaitDurable(long index) {
    await(() -> log.durableIndex() >= index || failure != null, "index " + index + " durable");
    if (failure != null) {
      throw failure;
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Waits until the log reports a failure. */
  OpLogFailedException awaitFailure() {
    await(() -> failure != null, "failure reported");
    return Objects.requireNonNull(failure);
  }

  private synchronized void await(BooleanSupplier done, String what) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!done.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not within 30 s: " + what);
      try {
        wait(100);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Reads everything back, one by one and in sequence, and compares. */
  void verifyAll() throws IOException {
    long durable = log.durableIndex();
    List<Long> seen = new ArrayList<>();
    if (durable >= log.firstIndex()) {
      long next = log.firstIndex();
      while (next <= durable) {
        int count =
            log.read(
                next,
                20_000,
                (index, payload) -> {
                  assertArrayEquals(payload(index), payload, "payload of index " + index);
                  seen.add(index);
                });
        assertTrue(count > 0, "a read from " + next + " delivers something");
        next += count;
      }
      for (long index = log.firstIndex(); index <= durable; index += 7) {
        assertArrayEquals(payload(index), log.read(index), "payload of index " + index);
      }
    }
    assertEquals(durable - log.firstIndex() + 1, seen.size(), "entries read in sequence");
  }

  long lastRecovered() {
    return recovered.isEmpty() ? 0 : recovered.getLast();
  }

  @Override
  public synchronized void onDurable(CommittedBatch batch) {
    batches.add(batch);
    notifyAll();
  }

  @Override
  public synchronized void onFailure(OpLogFailedException failed) {
    failure = failed;
    notifyAll();
  }

  /** Has something done whenever a trim has taken a segment out of the log. */
  void whenWithdrawn(Runnable action) {
    withdrawn = action;
  }

  @Override
  public void onWithdrawn() {
    withdrawn.run();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}

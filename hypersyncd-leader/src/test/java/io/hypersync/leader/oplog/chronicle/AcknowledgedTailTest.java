package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The acknowledged end of a log is never cut off silently: a log that was closed, or is idle,
 * records up to where it is durable, and no write touches acknowledged bytes (decision 018).
 */
class AcknowledgedTailTest {
  private static final long DEADLINE_NANOS = 30_000_000_000L;
  private static final int LAST = 10;

  @TempDir Path directory;

  private final ManualLogClock clock = new ManualLogClock();
  private final List<Long> watermarks = new CopyOnWriteArrayList<>();

  @ParameterizedTest
  @EnumSource(RecoveryTest.Damage.class)
  void afterACleanStopDamageOfTheLastRecordIsRefused(RecoveryTest.Damage damage)
      throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendOneByOne(LAST);
    }
    Path file = Disk.lastFile(directory);
    damage.apply(file, Disk.entry(file, LAST));
    expectRefused(directory, LAST, file);
  }

  @ParameterizedTest
  @EnumSource(RecoveryTest.Damage.class)
  void afterARestDamageOfTheLastRecordIsRefused(RecoveryTest.Damage damage) throws IOException {
    Path crashed = directory.resolve("crashed");
    Path log = directory.resolve("log");
    try (TestLog test = TestLog.open(log, TestLog.SMALL, this::recordWatermark, clock)) {
      test.appendOneByOne(LAST);
      rest();
      awaitWatermark(LAST);
      Disk.copy(log, crashed);
    }
    Path file = Disk.lastFile(crashed);
    damage.apply(file, Disk.entry(file, LAST));
    expectRefused(crashed, LAST, file);
  }

  @Test
  void theWholeLastBatchIsProtected() throws IOException {
    for (int damaged = 1; damaged <= 5; damaged++) {
      Path log = directory.resolve("log-" + damaged);
      try (TestLog test = TestLog.open(log)) {
        test.append(5);
      }
      Path file = Disk.lastFile(log);
      Disk.flipBit(file, Disk.entry(file, damaged).end() - 1, 0);
      expectRefused(log, damaged, file);
    }
  }

  @Test
  void aLastPageThatIsGoneAfterACleanStopIsMissed() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendOneByOne(LAST);
    }
    Path file = Disk.lastFile(directory);
    overwritePage(file, LAST, new byte[SegmentLayout.PAGE_BYTES]);
    expectRefused(directory, LAST, file);
  }

  @Test
  void aWatermarkThatIsDamagedCostsNothing() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendOneByOne(LAST);
    }
    Path file = Disk.lastFile(directory);
    long page = endOfPage(file, LAST);
    Disk.write(file, page, garbage(SegmentLayout.PAGE_BYTES));
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(LAST, test.lastRecovered());
      test.verifyAll();
    }
  }

  @Test
  void aWatermarkOfAnotherSegmentProvesNothing() throws IOException {
    Path other = directory.resolve("other");
    Path log = directory.resolve("log");
    Path crashed = directory.resolve("crashed");
    try (TestLog test = TestLog.open(other)) {
      test.appendOneByOne(LAST + 1);
    }
    try (TestLog test = TestLog.open(log)) {
      test.appendOneByOne(LAST);
      Disk.copy(log, crashed);
    }
    Path from = Disk.lastFile(other);
    byte[] foreign = Disk.read(from, endOfPage(from, LAST + 1), SegmentLayout.PAGE_BYTES);
    Path file = Disk.lastFile(crashed);
    Disk.write(file, endOfPage(file, LAST), foreign);
    try (TestLog test = TestLog.open(crashed)) {
      assertEquals(LAST, test.lastRecovered(), "11 was never here");
    }
  }

  @Test
  void aTornWriteDamagesNothingThatWasDurableBefore() throws IOException {
    Path log = directory.resolve("log");
    Path crashed = directory.resolve("crashed");
    try (TestLog test = TestLog.open(log)) {
      test.appendOneByOne(LAST);
      Disk.copy(log, crashed);
    }
    Path file = Disk.lastFile(crashed);
    overwritePage(file, LAST, garbage(SegmentLayout.PAGE_BYTES));
    try (TestLog test = TestLog.open(crashed)) {
      assertEquals(LAST - 1, test.lastRecovered(), "all but what was being written");
      test.verifyAll();
    }
  }

  @Test
  void everyBatchIsWholePagesOfItsOwn() throws IOException {
    List<Long> starts = new CopyOnWriteArrayList<>();
    List<Long> ends = new CopyOnWriteArrayList<>();
    SegmentWrite recording =
        (file, channel, bytes, offset) -> {
          starts.add(offset);
          ends.add(offset + bytes.remaining());
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, recording)) {
      for (int round = 0; round < 10; round++) {
        test.appendDurably(1 + round);
      }
    }
    for (int i = 1; i < starts.size(); i++) {
      assertEquals(ends.get(i - 1), starts.get(i), "nothing is left out");
      assertEquals(0, starts.get(i) % SegmentLayout.PAGE_BYTES);
      assertEquals(0, ends.get(i) % SegmentLayout.PAGE_BYTES);
    }
  }

  @Test
  void aRestHasOneWatermarkAndThenNobodyWakes() throws IOException {
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, this::recordWatermark, clock)) {
      test.appendOneByOne(1);
      await(() -> clock.parks() > 0, "somebody waits for the rest");
      clock.advance(IdleWatermark.IDLE_NANOS - 1);
      assertEquals(List.of(), watermarks, "not before its time");
      rest();
      awaitWatermark(1);
      int parks = clock.parks();
      for (int i = 0; i < 100; i++) {
        rest();
      }
      assertEquals(parks, clock.parks(), "nobody looks at the clock after it");
      test.appendOneByOne(2);
      rest();
      awaitWatermark(3);
      assertEquals(List.of(1L, 3L), watermarks);
    }
    assertEquals(List.of(1L, 3L), watermarks, "the close has nothing to add");
  }

  @Test
  void anEmptyLogHasNoWatermark() throws IOException {
    TestLog.open(directory, TestLog.SMALL, this::recordWatermark, clock).close();
    assertEquals(List.of(), watermarks);
  }

  @Test
  void noCommitWaitsForAWatermark() throws Exception {
    CountDownLatch inWatermark = new CountDownLatch(1);
    Semaphore mayEnd = new Semaphore(0);
    SegmentWrite slow =
        (file, channel, bytes, offset) -> {
          if (isWatermark(bytes)) {
            inWatermark.countDown();
            mayEnd.acquireUninterruptibly();
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, slow, clock)) {
      test.appendOneByOne(1);
      restUntil(() -> inWatermark.getCount() == 0, "a watermark is being written");
      LoneCommit commit = test.log.tryLoneCommit();
      while (commit == null) {
        Thread.onSpinWait(); // the writer may not be idle yet
        commit = test.log.tryLoneCommit();
      }
      test.append(1);
      commit.close();
      assertEquals(2, test.log.durableIndex(), "who takes over");
      test.appendOneByOne(1);
      test.log.append(4, TestLog.payload(4), true);
      test.awaitDurable(4);
      while (Disk.segments(directory).size() == 1) {
        test.appendOneByOne(1); // a roll may happen while a watermark is written
      }
      mayEnd.release(100);
      test.verifyAll();
    }
    try (TestLog test = TestLog.open(directory)) {
      test.verifyAll();
      assertTrue(test.lastRecovered() > 4);
    }
  }

  /** A watermark is written through an open file, so a trim may take its segment away meanwhile. */
  @Test
  void aWatermarkOfASegmentThatIsTrimmedMeanwhileHarmsNothing() throws IOException {
    CountDownLatch inWatermark = new CountDownLatch(1);
    CountDownLatch mayBeWritten = new CountDownLatch(1);
    List<Path> late = new CopyOnWriteArrayList<>();
    SegmentWrite slow =
        (file, channel, bytes, offset) -> {
          boolean isLate = isWatermark(bytes) && mayBeWritten.getCount() > 0;
          if (isLate) {
            inWatermark.countDown();
            awaitLatch(mayBeWritten);
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
          if (isLate) {
            late.add(file);
          }
        };
    long first;
    long last;
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, slow, clock)) {
      try {
        test.appendOneByOne(1);
        restUntil(() -> inWatermark.getCount() == 0, "a watermark is being written");
        test.fillSegments(3);
        first = test.log.trim(test.log.segments().get(1).firstIndex());
        assertTrue(first > 1, "the first segment is gone");
      } finally {
        mayBeWritten.countDown();
      }
      await(() -> !late.isEmpty(), "the watermark is written");
      assertFalse(Files.exists(late.getFirst()));
      test.appendOneByOne(3);
      test.verifyAll();
      assertFalse(test.hasFailed());
      last = test.log.durableIndex();
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(LongStream.rangeClosed(first, last).boxed().toList(), test.recovered);
    }
  }

  private static void awaitLatch(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aWatermarkThatCannotBeWrittenIsFatal() throws IOException {
    SegmentWrite failing =
        (file, channel, bytes, offset) -> {
          if (isWatermark(bytes)) {
            throw new IOException("Input/output error");
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, failing, clock)) {
      test.appendOneByOne(1);
      restUntil(test::hasFailed, "the failure is told");
      OpLogFailedException failure = test.awaitFailure();
      assertEquals("Input/output error", failure.getCause().getMessage());
      assertThrows(OpLogFailedException.class, () -> test.append(1));
      assertEquals(1, test.log.durableIndex());
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(1, test.lastRecovered());
    }
  }

  @Test
  void aLogThatHasFailedSaysNothingAtItsEnd() throws IOException {
    SegmentWrite failing =
        (file, channel, bytes, offset) -> {
          if (isWatermark(bytes)) {
            watermarks.add(RecordCodec.index(firstRecord(bytes), 0));
          } else if (offset > 7L * SegmentLayout.PAGE_BYTES) {
            throw new IOException("Input/output error");
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, failing)) {
      assertThrows(OpLogFailedException.class, () -> test.appendOneByOne(LAST));
    }
    assertEquals(List.of(), watermarks);
  }

  /**
   * Idle periods between batches, with random interleavings of threads: pages of batches and of
   * watermarks never overlap.
   */
  @Test
  void aLogThatRestsAgainAndAgainIsWhole() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, this::recordWatermark, clock)) {
      for (int round = 0; round < 300; round++) {
        try (LoneCommit _ = random.nextBoolean() ? test.log.tryLoneCommit() : null) {
          test.append(1);
        }
        if (random.nextInt(3) == 0) {
          rest();
        }
        if (random.nextInt(5) == 0) {
          test.awaitDurable(test.log.appendedIndex());
        }
      }
      test.awaitDurable(300);
      test.verifyAll();
    }
    for (int i = 1; i < watermarks.size(); i++) {
      assertTrue(watermarks.get(i - 1) < watermarks.get(i), "seed " + seed + ": " + watermarks);
    }
    assertEquals(300, watermarks.getLast(), "seed " + seed);
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(300, test.lastRecovered(), "seed " + seed);
      test.verifyAll();
    }
  }

  private void rest() {
    clock.advance(IdleWatermark.IDLE_NANOS);
  }

  private void recordWatermark(Path file, FileChannel channel, ByteBuffer bytes, long offset)
      throws IOException {
    boolean watermark = isWatermark(bytes);
    long index = watermark ? RecordCodec.index(firstRecord(bytes), 0) : 0;
    SegmentWrite.DSYNC.write(file, channel, bytes, offset);
    if (watermark) {
      watermarks.add(index);
    }
  }

  private static boolean isWatermark(ByteBuffer bytes) {
    byte[] record = firstRecord(bytes);
    return RecordCodec.looksLikeRecord(record, 0)
        && RecordCodec.kind(record, 0) == RecordKind.WATERMARK;
  }

  /** The header of the first record in a write. */
  private static byte[] firstRecord(ByteBuffer bytes) {
    byte[] record = new byte[RecordCodec.HEADER_BYTES];
    bytes.get(bytes.position() + SegmentLayout.DOCUMENT_WORD_BYTES, record);
    return record;
  }

  private void awaitWatermark(long index) {
    restUntil(() -> watermarks.contains(index), "a watermark of " + index);
  }

  /**
   * Advances time past the idle limit until the condition holds; a watermark that met an unfinished
   * batch is tried again after another idle period.
   */
  private void restUntil(BooleanSupplier done, String what) {
    await(
        () -> {
          rest();
          return done.getAsBoolean();
        },
        what);
  }

  private static void await(BooleanSupplier done, String what) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!done.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not within 30 s: " + what);
      Thread.onSpinWait();
    }
  }

  /** Position of the end of the page in which that entry ends. */
  private static long endOfPage(Path file, long index) throws IOException {
    return SegmentLayout.alignUp(Disk.entry(file, index).end(), SegmentLayout.PAGE_BYTES);
  }

  private static void overwritePage(Path file, long index, byte[] page) throws IOException {
    Disk.write(file, endOfPage(file, index) - page.length, page);
  }

  private static byte[] garbage(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static void expectRefused(Path log, long index, Path file) {
    for (int attempt = 0; attempt < 2; attempt++) {
      OpLogCorruptException refused =
          assertThrows(OpLogCorruptException.class, () -> TestLog.open(log));
      assertEquals(index, refused.index());
      assertEquals(file, refused.file());
    }
  }
}

package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Appending, reading and reopening an undamaged log (hypersync.md 6.3.1, 8). */
class ChronicleOpLogTest {
  private static final OpLogListener NOBODY =
      new OpLogListener() {
        @Override
        public void onDurable(CommittedBatch batch) {}

        @Override
        public void onFailure(OpLogFailedException failure) {}
      };

  @TempDir Path directory;

  @Test
  void anEmptyLogBeginsAtOne() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(1, test.log.firstIndex());
      assertEquals(0, test.log.appendedIndex());
      assertEquals(0, test.log.durableIndex());
      assertEquals(0, test.log.read(1, 1000, (index, payload) -> {}));
      assertThrows(IndexOutOfBoundsException.class, () -> test.log.read(1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 99, 5000})
  @Tag("slow")
  void whatWasAppendedIsReadAndRecovered(int count) throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(count);
      test.verifyAll();
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(count, test.recovered.size());
      assertEquals(count, test.log.durableIndex());
      assertEquals(count, test.log.appendedIndex());
      test.verifyAll();
      test.appendDurably(count);
      test.verifyAll();
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(2 * count, test.recovered.size());
      test.verifyAll();
    }
  }

  @Test
  void closeMakesEverythingAcceptedDurable() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.append(300);
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(300, test.lastRecovered());
    }
  }

  @Test
  void aLogThatIsRefusedAtItsEndIsLeftAsItIs() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(300);
    }
    Map<Path, Hash> before = contents();
    RecoveryListener refusing =
        new RecoveryListener() {
          @Override
          public Verdict onRecord(long index, byte[] payload) {
            return Verdict.KEEP;
          }

          @Override
          public void ended() {
            throw new IllegalStateException("refused");
          }
        };
    assertThrows(
        IllegalStateException.class,
        () -> ChronicleOpLog.open(directory, TestLog.SMALL, ChunkSync.NONE, refusing, NOBODY));
    assertEquals(before, contents());
  }

  @Test
  @Tag("slow")
  void manyEntriesFillManySegments() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(6000);
      assertTrue(Disk.segments(directory).size() >= 8, "segments: " + Disk.segments(directory));
      test.verifyAll();
    }
  }

  @Test
  void aPayloadMayTakeAQuarterOfASegment() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      int largest = test.log.maxPayloadBytes();
      assertEquals((256 << 10) / 4 - 4096, largest);
      for (int index = 1; index <= 20; index++) {
        test.log.append(index, new byte[largest], false);
      }
      test.awaitDurable(20);
      for (int index = 1; index <= 20; index++) {
        assertEquals(largest, test.log.read(index).length);
      }
      assertThrows(
          IllegalArgumentException.class, () -> test.log.append(21, new byte[largest + 1], false));
    }
  }

  @Test
  void aSegmentSizeMayChangeBetweenRuns() throws IOException {
    try (TestLog test = TestLog.open(directory, TestLog.SMALL.withSegmentBytes(1 << 20))) {
      test.log.append(1, TestLog.payload(1), false);
      test.appendDurably(2000);
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(2001, test.lastRecovered());
      test.appendDurably(2000);
      test.verifyAll();
    }
  }

  @Test
  void indexesMustBeContiguous() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(3);
      for (long index : new long[] {0, 3, 5, -1, Long.MAX_VALUE}) {
        assertThrows(
            IllegalArgumentException.class,
            () -> test.log.append(index, new byte[1], false),
            "index " + index);
      }
      test.appendDurably(1);
      assertEquals(4, test.log.durableIndex());
    }
  }

  @Test
  void readsStopAtTheByteLimitButDeliverAtLeastOne() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      for (int index = 1; index <= 10; index++) {
        test.log.append(index, new byte[100], false);
      }
      test.awaitDurable(10);
      int[][] limitAndDelivered = {{0, 1}, {1, 1}, {100, 1}, {101, 2}, {1000, 10}, {5000, 10}};
      for (int[] row : limitAndDelivered) {
        assertEquals(row[1], test.log.read(1, row[0], (i, p) -> {}), "limit " + row[0]);
      }
      assertEquals(0, test.log.read(11, 1000, (i, p) -> {}));
      assertThrows(IndexOutOfBoundsException.class, () -> test.log.read(12, 1000, (i, p) -> {}));
    }
  }

  @Test
  @Tag("slow")
  void readersRunWhileTheWriterWrites() throws Exception {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(1);
      List<Throwable> failures = new ArrayList<>();
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        readers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        while (test.log.durableIndex() < 3000) {
                          long last = test.log.durableIndex();
                          assertArrayEquals(TestLog.payload(last), test.log.read(last));
                        }
                        test.verifyAll();
                      } catch (Throwable e) {
                        synchronized (failures) {
                          failures.add(e);
                        }
                      }
                    }));
      }
      test.appendDurably(2999);
      for (Thread reader : readers) {
        reader.join();
      }
      assertEquals(List.of(), failures);
    }
  }

  @Test
  void whatQueuesUpDuringASyncIsTheNextBatch() throws IOException, InterruptedException {
    CountDownLatch inFirstSync = new CountDownLatch(1);
    Semaphore syncs = new Semaphore(0);
    AtomicInteger calls = new AtomicInteger();
    SegmentWrite slow =
        (file, channel, bytes, offset) -> {
          if (calls.getAndIncrement() > 0) { // the first one publishes the segment
            inFirstSync.countDown();
            syncs.acquireUninterruptibly();
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(directory, TestLog.SMALL.withBatches(10, 1000), slow)) {
      test.append(1);
      inFirstSync.await();
      for (int index = 2; index <= 26; index++) {
        test.log.append(index, new byte[index <= 22 ? 10 : 400], false);
      }
      assertEquals(0, test.log.durableIndex(), "nothing is durable before the sync has returned");
      syncs.release(100);
      test.awaitDurable(26);
      // 2..11 and 12..21 are limited by ops, 22..24 (10 + 400 + 400) and 25..26 by bytes
      assertEquals(
          List.of(1L, 11L, 21L, 24L, 26L),
          test.batches.stream().map(CommittedBatch::lastIndex).toList());
      assertEquals(
          List.of(1, 10, 10, 3, 2), test.batches.stream().map(CommittedBatch::ops).toList());
      assertEquals(6, calls.get(), "one sync for each batch");
    }
  }

  @Test
  void aBatchWithChunksWaitsForTheChunkSync() throws IOException {
    Semaphore chunkSync = new Semaphore(0);
    AtomicInteger syncs = new AtomicInteger();
    try (TestLog test =
        TestLog.open(
            directory,
            TestLog.SMALL,
            () -> {
              syncs.incrementAndGet();
              chunkSync.acquireUninterruptibly();
            })) {
      test.appendDurably(2);
      assertEquals(0, syncs.get(), "no chunk sync without chunks");
      test.log.append(3, TestLog.payload(3), true);
      test.append(1);
      while (syncs.get() == 0) {
        Thread.onSpinWait();
      }
      assertEquals(2, test.log.durableIndex(), "3 waits for its chunks, 4 waits for 3");
      chunkSync.release(10);
      test.awaitDurable(4);
      assertEquals(1, syncs.get());
      assertEquals(1, test.batches.stream().filter(CommittedBatch::syncedChunks).count());
    }
  }

  @Test
  void aBatchLargerThanOneWriteIsWrittenInParts() throws IOException {
    Semaphore syncs = new Semaphore(2); // the header's and the first entry's
    AtomicInteger calls = new AtomicInteger();
    SegmentWrite gated =
        (file, channel, bytes, offset) -> {
          syncs.acquireUninterruptibly();
          calls.incrementAndGet();
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    OpLogOptions large = new OpLogOptions(16 << 20, 16 << 20, 1_000, 8 << 20, RootVersion.LATEST);
    List<byte[]> payloads = new ArrayList<>();
    try (TestLog test = TestLog.open(directory, large, gated)) {
      for (int index = 1; index <= 31; index++) {
        byte[] payload = new byte[100_001 + index];
        Arrays.fill(payload, (byte) index);
        payloads.add(payload);
        test.log.append(index, payload, false);
        while (index == 1 && syncs.availablePermits() > 0) {
          Thread.onSpinWait();
        }
      }
      test.awaitDurable(1);
      syncs.release(100);
      test.awaitDurable(31);
      assertTrue(calls.get() >= 5, calls + " writes");
      for (int index = 1; index <= 31; index++) {
        assertArrayEquals(payloads.get(index - 1), test.log.read(index), "entry " + index);
      }
    }
    List<byte[]> recovered = new ArrayList<>();
    ChronicleOpLog.open(
            directory,
            large,
            ChunkSync.NONE,
            (_, payload) -> {
              recovered.add(payload);
              return RecoveryListener.Verdict.KEEP;
            },
            NOBODY)
        .close();
    assertEquals(31, recovered.size());
    for (int i = 0; i < 31; i++) {
      assertArrayEquals(payloads.get(i), recovered.get(i), "entry " + (i + 1));
    }
  }

  @Test
  void whoTakesOverWritesItself() throws IOException {
    List<String> writers = new CopyOnWriteArrayList<>();
    SegmentWrite named =
        (file, channel, bytes, offset) -> {
          writers.add(Thread.currentThread().getName());
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    String me = Thread.currentThread().getName();
    OpLogOptions roomy = TestLog.SMALL.withSegmentBytes(1 << 20); // at least a page per batch
    try (TestLog test = TestLog.open(directory, roomy, named)) {
      for (int round = 0; round < 50; round++) {
        try (LoneCommit _ = loneCommit(test.log)) {
          test.append(1);
        }
        assertEquals(test.log.appendedIndex(), test.log.durableIndex(), "durable on return");
        test.appendDurably(1); // the writer thread continues after it
      }
      test.verifyAll();
      assertEquals(50, writers.stream().filter("oplog-writer"::equals).count());
      assertEquals(writers.size() - 50L, writers.stream().filter(me::equals).count());
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(100, test.lastRecovered());
      test.verifyAll();
    }
  }

  @Test
  void whatNeedsMoreThanOneWriteIsLeftToTheThread() throws IOException {
    AtomicInteger chunkSyncs = new AtomicInteger();
    try (TestLog test =
        TestLog.open(directory, TestLog.SMALL, () -> chunkSyncs.incrementAndGet())) {
      try (LoneCommit _ = loneCommit(test.log)) {
        test.log.append(1, TestLog.payload(1), true);
      }
      test.awaitDurable(1);
      assertEquals(1, chunkSyncs.get());
      while (Disk.segments(directory).size() == 1) { // until the log has rolled
        try (LoneCommit _ = loneCommit(test.log)) {
          test.append(1);
        }
        test.awaitDurable(test.log.appendedIndex());
      }
      loneCommit(test.log).close(); // nothing was appended
      test.appendDurably(1);
      test.verifyAll();
    }
  }

  @Test
  void nobodyTakesOverWhileTheThreadWrites() throws IOException, InterruptedException {
    CountDownLatch inSync = new CountDownLatch(2);
    Semaphore syncs = new Semaphore(1);
    SegmentWrite slow =
        (file, channel, bytes, offset) -> {
          inSync.countDown();
          syncs.acquireUninterruptibly();
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, slow)) {
      test.append(1);
      inSync.await();
      assertNull(test.log.tryLoneCommit());
      syncs.release(100);
      test.awaitDurable(1);
    }
  }

  @Test
  void aFailureOfWhoTookOverIsFatalForTheThread() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    SegmentWrite failing = failingAt(2, calls);
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, failing)) {
      try (LoneCommit _ = loneCommit(test.log)) {
        test.append(1);
      }
      assertEquals("Input/output error", test.awaitFailure().getCause().getMessage());
      assertEquals(0, test.log.durableIndex());
      assertNull(test.log.tryLoneCommit());
      assertThrows(OpLogFailedException.class, () -> test.append(1));
    }
    assertEquals(2, calls.get(), "writes, with that of the segment's header");
  }

  @RepeatedTest(30)
  void nobodyWritesAfterAFailureWhoeverItWas() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int failing = 2 + random.nextInt(30);
    AtomicInteger calls = new AtomicInteger();
    SegmentWrite disk = failingAt(failing, calls);
    TestLog test = TestLog.open(directory, TestLog.SMALL, disk);
    try (test) {
      assertThrows(
          OpLogFailedException.class,
          () -> {
            while (true) {
              try (LoneCommit _ = random.nextBoolean() ? test.log.tryLoneCommit() : null) {
                test.append(1);
              }
              if (random.nextInt(4) == 0) {
                LockSupport.parkNanos(50_000); // lets the writer become idle now and then
              }
            }
          });
    }
    assertEquals(failing, calls.get(), "seed " + seed);
    try (TestLog again = TestLog.open(directory)) {
      assertTrue(again.lastRecovered() >= test.log.durableIndex(), "seed " + seed);
      again.verifyAll();
    }
  }

  /** A disk on which one write fails; counts all writes. */
  private static SegmentWrite failingAt(int failing, AtomicInteger calls) {
    return (file, channel, bytes, offset) -> {
      if (calls.incrementAndGet() == failing) {
        throw new IOException("Input/output error");
      }
      SegmentWrite.DSYNC.write(file, channel, bytes, offset);
    };
  }

  /** Takes writing from the log's thread, once that is idle. */
  private static LoneCommit loneCommit(ChronicleOpLog log) {
    LoneCommit commit = log.tryLoneCommit();
    while (commit == null) {
      Thread.onSpinWait();
      commit = log.tryLoneCommit();
    }
    return commit;
  }

  @Test
  void aFailedSyncIsFatalAndNeverRetried() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    SegmentWrite failing = failingAt(3, calls);
    try (TestLog test = TestLog.open(directory, TestLog.SMALL, failing)) {
      test.appendDurably(1);
      test.append(1);
      OpLogFailedException failure = test.awaitFailure();
      assertEquals("Input/output error", failure.getCause().getMessage());
      assertEquals(1, test.log.durableIndex());
      assertThrows(OpLogFailedException.class, () -> test.append(1));
      assertArrayEquals(TestLog.payload(1), test.log.read(1), "reading goes on");
    }
    assertEquals(3, calls.get(), "syncs, with that of the segment's header");
  }

  @Test
  void aFailedChunkSyncIsFatal() throws IOException {
    try (TestLog test =
        TestLog.open(
            directory,
            TestLog.SMALL,
            () -> {
              throw new IOException("chunk store is gone");
            })) {
      test.appendDurably(1);
      test.log.append(2, TestLog.payload(2), true);
      OpLogFailedException failure = test.awaitFailure();
      assertInstanceOf(IOException.class, failure.getCause());
      assertEquals(1, test.log.durableIndex());
    }
  }

  @Test
  void aClosedLogRefusesEntries() throws IOException {
    TestLog test = TestLog.open(directory);
    test.close();
    assertThrows(OpLogFailedException.class, () -> test.append(1));
  }

  @Test
  void repeatedRestartsDoNotPileUpSegments() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(10);
    }
    for (int i = 0; i < 5; i++) {
      try (TestLog test = TestLog.open(directory)) {
        assertEquals(10, test.lastRecovered());
        test.verifyAll();
      }
    }
    assertTrue(Disk.segments(directory).size() <= 3, "segments: " + Disk.segments(directory));
  }

  @Test
  void chroniclesOwnTailerReadsASegment() throws IOException {
    OpLogOptions roomy = TestLog.SMALL.withSegmentBytes(1 << 20); // each entry reserves a page
    try (TestLog test = TestLog.open(directory, roomy)) {
      test.appendDurably(50);
    }
    Path segment = Disk.segments(directory).getFirst();
    try (SingleChronicleQueue queue =
            SingleChronicleQueueBuilder.binary(segment)
                .rollCycle(RollCycles.FAST_DAILY)
                .timeProvider(() -> 0L)
                .blockSize(256 << 10)
                .build();
        ExcerptTailer tailer = queue.createTailer()) {
      List<Long> indexes = new ArrayList<>();
      while (true) {
        try (DocumentContext document = tailer.readingDocument()) {
          if (!document.isPresent()) {
            break;
          }
          Bytes<?> bytes = document.wire().bytes();
          byte[] record = new byte[(int) bytes.readRemaining()];
          bytes.read(record);
          if (RecordCodec.kind(record, 0) == RecordKind.ENTRY) {
            indexes.add(RecordCodec.index(record, 0));
          }
        }
      }
      assertEquals(50, indexes.size());
      assertEquals(50, indexes.getLast());
    }
  }

  /** The hash of every file's content. */
  private Map<Path, Hash> contents() throws IOException {
    Map<Path, Hash> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(directory.relativize(file), Blake3.hash(Files.readAllBytes(file)));
      }
    }
    return contents;
  }
}

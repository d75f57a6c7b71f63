package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log that is opened by somebody who has the state after some entry already. */
@Tag("slow")
class SkippedSegmentsTest {
  private static final int SEGMENTS = 5;

  @TempDir Path directory;

  private Path log = Path.of("");

  /** The first index of each segment. */
  private List<Long> firsts = List.of();

  private long last;

  @BeforeEach
  void aLogOfSeveralSegments() throws IOException {
    log = directory.resolve("log");
    try (TestLog test = TestLog.open(log)) {
      test.fillSegments(SEGMENTS);
      last = test.log.durableIndex();
      firsts = test.log.segments().stream().map(LogSegment::firstIndex).toList();
    }
    assertEquals(SEGMENTS, firsts.size());
  }

  @Test
  void whatIsNeededIsDeliveredAndAllCanBeRead() throws IOException {
    Set<Long> cases = new TreeSet<>(List.of(0L, 1L, 2L, firsts.get(3) + 5, last, last + 1));
    for (long first : firsts.subList(1, SEGMENTS)) {
      cases.addAll(List.of(first - 1, first, first + 1));
    }
    for (long needed : cases) {
      Path copy = Disk.copy(log, directory.resolve("needed-" + needed));
      List<Long> expected = LongStream.rangeClosed(Math.max(needed, 1), last).boxed().toList();
      try (TestLog test = TestLog.openNeeding(copy, needed)) {
        assertEquals(expected, test.recovered, "needed " + needed);
        assertEquals(last, test.log.durableIndex());
        assertEquals(1, test.log.firstIndex());
        test.appendDurably(30);
        test.verifyAll();
      }
      try (TestLog test = TestLog.open(copy)) {
        assertEquals(last + 30, test.recovered.size(), "needed " + needed);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(RecoveryTest.Damage.class)
  void damageToWhatIsSkippedIsFoundWhenItIsRead(RecoveryTest.Damage damage) throws IOException {
    Path file = file(1);
    List<Long> wrong = List.of(firsts.get(1), firsts.get(1) + 7, firsts.get(2) - 1);
    for (long index : wrong) {
      damage.apply(file, Disk.entry(file, index));
    }
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(log));
    assertEquals(wrong.getFirst(), refused.index());
    try (TestLog test = TestLog.openNeeding(log, firsts.get(2))) {
      for (int time = 0; time < 2; time++) { // the second time with samples
        for (long index = 1; index <= last; index++) {
          if (wrong.contains(index)) {
            long unreadable = index;
            OpLogCorruptException found =
                assertThrows(OpLogCorruptException.class, () -> test.log.read(unreadable));
            assertEquals(index, found.index());
            assertEquals(file, found.file());
          } else {
            assertArrayEquals(TestLog.payload(index), test.log.read(index), "entry " + index);
          }
        }
      }
      OpLogCorruptException found =
          assertThrows(
              OpLogCorruptException.class, () -> test.log.read(1, Long.MAX_VALUE, (_, _) -> {}));
      assertEquals(wrong.getFirst(), found.index());
    }
  }

  @Test
  void damageBeforeTheNeededEntryInItsSegmentIsRefused() throws IOException {
    long needed = firsts.get(2) + 9;
    Path file = file(2);
    RecoveryTest.Damage.FLIPPED_PAYLOAD_BIT.apply(file, Disk.entry(file, needed - 4));
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(log, needed));
    assertEquals(needed - 4, refused.index());
    assertEquals(file, refused.file());
  }

  @Test
  void aSkippedSegmentWithoutItsHeaderOrFileIsRefused() throws IOException {
    Path damaged = Disk.copy(log, directory.resolve("damaged"));
    Path file = Disk.segments(damaged).get(1).resolve(SegmentLayout.CYCLE_FILE);
    Disk.flipBit(file, Disk.header(file).position() + 20, 1);
    assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(damaged, last));
    Files.delete(file(1));
    assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(log, last));
  }

  @Test
  void aLogThatBeginsBehindWhatIsNeededIsRefused() throws IOException {
    DurableFiles.deleteTree(Disk.segments(log).getFirst());
    long first = firsts.get(1);
    for (long needed : List.of(1L, first - 1)) {
      OpLogCorruptException refused =
          assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(log, needed));
      assertTrue(
          String.valueOf(refused.getMessage())
              .contains("begins at entry " + first + ", and entry " + needed + " is needed"),
          refused::getMessage);
    }
    for (long needed : List.of(0L, first)) {
      try (TestLog test = TestLog.openNeeding(log, needed)) {
        assertEquals(first, test.recovered.getFirst());
        assertEquals(first, test.log.firstIndex());
        assertThrows(IndexOutOfBoundsException.class, () -> test.log.read(first - 1));
        test.verifyAll();
      }
    }
    assertEquals(first, ChronicleOpLog.firstIndex(log));
  }

  @Test
  void aLogThatEndsBeforeWhatIsNeededIsRefusedAndNotBegunAnew() throws IOException {
    List<Path> before = Disk.segments(log);
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(log, last + 2));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("ends at entry " + last + ", and entries up to " + (last + 1)));
    assertEquals(before, Disk.segments(log));
    Path empty = directory.resolve("empty");
    OpLogCorruptException nothing =
        assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(empty, 2));
    assertTrue(
        String.valueOf(nothing.getMessage()).contains("ends at entry 0, and entries up to 1"));
    assertEquals(List.of(), Disk.segments(empty));
    try (TestLog test = TestLog.openNeeding(empty, 1)) {
      test.appendDurably(3);
    }
    assertEquals(1, ChronicleOpLog.firstIndex(empty));
  }

  /** Where the last segment with entries ends is not known, because it was not read. */
  @Test
  void nothingIsCutOffASkippedSegmentBeforeAnEmptyOne() throws IOException {
    TestLog.open(log).close(); // leaves an empty segment
    for (int restart = 0; restart < 2; restart++) {
      try (TestLog test = TestLog.openNeeding(log, last + 1)) {
        assertEquals(List.of(), test.recovered);
        assertEquals(last, test.log.durableIndex());
        test.verifyAll();
      }
    }
    try (TestLog test = TestLog.open(log)) {
      assertEquals(last, test.recovered.size());
    }
  }

  /** Nothing in the log proves the last entry of a leader that was killed. */
  @Test
  void anUnprovenTailIsKeptIfItIsIntactAndMissedIfItIsNeeded() throws IOException {
    Path written = directory.resolve("written");
    Path killed = directory.resolve("killed");
    try (TestLog test = TestLog.open(written)) {
      test.appendOneByOne(10);
      Disk.copy(written, killed);
    }
    Path whole = Disk.copy(killed, directory.resolve("whole"));
    for (int restart = 0; restart < 2; restart++) {
      try (TestLog test = TestLog.openNeeding(whole, 11)) {
        assertEquals(List.of(), test.recovered);
        assertEquals(10, test.log.durableIndex());
        test.verifyAll();
      }
    }
    Path file = Disk.lastFile(killed);
    RecoveryTest.Damage.FLIPPED_PAYLOAD_BIT.apply(file, Disk.entry(file, 10));
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.openNeeding(killed, 11));
    assertEquals(10, refused.index());
    try (TestLog test = TestLog.openNeeding(killed, 10)) { // cut off, as it was never needed
      assertEquals(List.of(), test.recovered);
      assertEquals(9, test.log.durableIndex());
    }
  }

  @Test
  void aReaderOfAStoppedLogMaySkip() throws IOException {
    List<Long> read = new ArrayList<>();
    RecoveryTest.Damage.ZEROED.apply(file(0), Disk.entry(file(0), 1));
    ChronicleOpLog.read(
        log,
        TestLog.needing(
            last - 1,
            (index, _) -> {
              read.add(index);
              return Verdict.KEEP;
            }));
    assertEquals(List.of(last - 1, last), read);
  }

  @Test
  void manyMayReadWhatWasSkippedAtOnce() throws Exception {
    try (TestLog test = TestLog.openNeeding(log, last + 1);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> readers = new ArrayList<>();
      for (int seed = 0; seed < 4; seed++) {
        Random random = new Random(seed);
        readers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 300; i++) {
                    long index = 1 + random.nextLong(last);
                    assertArrayEquals(TestLog.payload(index), test.log.read(index));
                  }
                  return null;
                }));
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
      test.verifyAll();
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  @Test
  void samplesMayComeInAnyOrder() {
    PositionIndex samples = PositionIndex.unread();
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      long index = 1 + random.nextLong(500);
      samples.add(index, index * 9_000);
    }
    for (long index = 0; index <= 501; index++) {
      long below = samples.floor(index) / 9_000;
      long above = samples.above(index, 9_000L * 501) / 9_000;
      assertTrue(below <= index && above > Math.min(index, 500), "around " + index);
      assertTrue(above - below <= 6, "near " + index + ": " + below + " to " + above);
    }
  }

  private Path file(int segment) throws IOException {
    return Disk.segments(log).get(segment).resolve(SegmentLayout.CYCLE_FILE);
  }
}

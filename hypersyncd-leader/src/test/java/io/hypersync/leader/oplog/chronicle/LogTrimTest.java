package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old segments go, whole and oldest first, and a crash leaves no gap. */
@Tag("slow")
class LogTrimTest {
  private static final int SEGMENTS = 5;
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  @TempDir Path directory;

  @Test
  void onlyWholeSegmentsGo() throws IOException {
    Path log = directory.resolve("log");
    List<Long> firsts;
    long last;
    try (TestLog test = TestLog.open(log)) {
      test.fillSegments(SEGMENTS);
      firsts = firsts(test);
      last = test.log.durableIndex();
    }
    // A further segment begins at each start.
    SortedMap<Long, Long> cases = new TreeMap<>(); // trimmed through, then the log begins at
    for (long through = -1; through <= last; through++) {
      long after = through + 1;
      boolean atABorder = firsts.stream().anyMatch(first -> Math.abs(first - after) <= 1);
      if (atABorder || through >= last - 1) {
        cases.put(
            through, firsts.stream().filter(first -> first <= after).max(Long::compare).orElse(1L));
      }
    }
    cases.put(last, last + 1);
    for (long through : cases.keySet()) {
      long begins = Objects.requireNonNull(cases.get(through));
      String name = "through-" + through;
      Path copy = Disk.copy(log, directory.resolve(name));
      try (TestLog test = TestLog.open(copy)) {
        assertEquals(begins, test.log.trim(through), name);
        assertEquals(begins, test.log.trim(through), name + " again");
        assertBeginsAt(test, begins);
        assertEquals(test.log.segments().size(), Disk.segments(copy).size(), name);
        test.appendDurably(5);
        test.verifyAll();
      }
      try (TestLog test = TestLog.open(copy)) {
        assertEquals(LongStream.rangeClosed(begins, last + 5).boxed().toList(), test.recovered);
        assertBeginsAt(test, begins);
      }
    }
  }

  /** A process that is killed there leaves the files to its next start. */
  @Test
  void whoListensHearsOfASegmentBetweenItsEndAndItsDeletion() throws IOException {
    Path log = directory.resolve("log");
    List<String> seen = new ArrayList<>();
    TreeDeletion deletion =
        unused -> {
          seen.add("deleted " + unused.getFileName());
          DurableFiles.deleteTree(unused);
        };
    try (TestLog test = TestLog.open(log, deletion)) {
      test.fillSegments(2);
      test.whenWithdrawn(() -> seen.add(segments(log) + " segments"));
      int before = segments(log);
      seen.clear();
      test.log.trim(test.log.durableIndex());
      assertEquals((before - 1) + " segments", seen.getFirst());
      assertTrue(seen.get(1).startsWith("deleted spare-"), seen::toString);
      assertEquals(2 * (before - 1), seen.size(), seen::toString);
    }
  }

  private static int segments(Path log) {
    try {
      return Disk.segments(log).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatIsNotDurableOrNotOpenIsNotTrimmed() throws IOException {
    Path log = directory.resolve("log");
    TestLog test = TestLog.open(log);
    try (test) {
      test.fillSegments(2);
      long durable = test.log.durableIndex();
      assertThrows(IllegalArgumentException.class, () -> test.log.trim(durable + 1));
      assertEquals(2, Disk.segments(log).size());
    }
    assertThrows(OpLogFailedException.class, () -> test.log.trim(1));
  }

  @Test
  void segmentsAreMeasured() throws IOException {
    Path log = directory.resolve("log");
    try (TestLog test = TestLog.open(log)) {
      assertEquals(1, test.log.segments().getFirst().firstIndex());
      assertEquals(0, test.log.segments().getFirst().lastIndex());
      test.fillSegments(3);
      long next = 1;
      for (LogSegment segment : test.log.segments()) {
        assertEquals(next, segment.firstIndex());
        assertTrue(segment.bytes() > SegmentLayout.PAGE_BYTES, segment::toString);
        assertArrayEquals(
            TestLog.payload(segment.firstIndex()), test.log.read(segment.firstIndex()));
        next = segment.lastIndex() + 1;
      }
      assertEquals(test.log.durableIndex() + 1, next);
    }
  }

  /** At each point the directory is copied as a kill would leave it, and the copy is opened. */
  @Test
  void aCrashAtAnyPointLeavesASuffix() throws IOException {
    Path log = directory.resolve("log");
    List<Path> images = new ArrayList<>();
    TreeDeletion imaging =
        tree -> {
          images.add(image(log, images.size()));
          assertEquals(-1, SegmentLayout.sequenceOf(tree), "it was withdrawn before");
          Files.delete(tree.resolve(SegmentLayout.CYCLE_FILE));
          images.add(image(log, images.size()));
          DurableFiles.deleteTree(tree);
          images.add(image(log, images.size()));
        };
    List<Long> firsts;
    long last;
    try (TestLog test = TestLog.open(log, imaging)) {
      test.fillSegments(SEGMENTS);
      firsts = firsts(test);
      last = test.log.durableIndex();
      assertEquals(firsts.get(3), test.log.trim(firsts.get(4) - 2));
    }
    assertEquals(3 * 3, images.size());
    for (int i = 0; i < images.size(); i++) {
      Path image = images.get(i);
      long first = firsts.get(i / 3 + 1);
      try (TestLog test = TestLog.open(image)) {
        assertEquals(LongStream.rangeClosed(first, last).boxed().toList(), test.recovered);
        test.appendDurably(3);
        test.verifyAll();
      }
      try (Stream<Path> left = Files.list(image)) {
        assertEquals(List.of(), left.filter(SegmentLayout::isUnpublished).toList());
      }
    }
  }

  @Test
  void whatCannotBeDeletedIsLeftForTheNextStartAndTheLogGoesOn() throws IOException {
    Path log = directory.resolve("log");
    AtomicBoolean fails = new AtomicBoolean(true);
    TreeDeletion failing =
        tree -> {
          if (fails.get()) {
            throw new IOException("Input/output error");
          }
          DurableFiles.deleteTree(tree);
        };
    List<Long> firsts;
    long last;
    try (TestLog test = TestLog.open(log, failing)) {
      test.fillSegments(SEGMENTS);
      firsts = firsts(test);
      assertThrows(IOException.class, () -> test.log.trim(firsts.get(3) - 1));
      assertBeginsAt(test, firsts.get(1));
      test.appendDurably(5);
      fails.set(false);
      assertEquals(firsts.get(3), test.log.trim(firsts.get(3) - 1));
      test.verifyAll();
      last = test.log.durableIndex();
    }
    try (TestLog test = TestLog.open(log)) {
      assertEquals(LongStream.rangeClosed(firsts.get(3), last).boxed().toList(), test.recovered);
    }
    try (Stream<Path> left = Files.list(log)) {
      assertEquals(List.of(), left.filter(SegmentLayout::isUnpublished).toList());
    }
  }

  /** An earlier start has made it void, and could not delete it. */
  @Test
  void aVoidSegmentGoesWithTheOnesAroundIt() throws IOException {
    Path log = directory.resolve("log");
    Path kept = directory.resolve("void");
    try (TestLog test = TestLog.open(log)) {
      test.fillSegments(2);
    }
    TestLog.open(log).close(); // leaves an empty segment, which the next start makes void
    Path empty = Disk.segments(log).getLast();
    Disk.copy(empty, kept);
    try (TestLog test = TestLog.open(log)) {
      assertFalse(Files.exists(empty));
      Disk.copy(kept, empty);
      int segments = test.log.segments().size();
      long begun = test.log.durableIndex() + 1;
      test.fillSegments(segments + 2);
      assertEquals(begun, test.log.trim(begun));
      Path image = image(log, 0);
      long first = test.log.trim(test.log.durableIndex());
      assertTrue(first > begun);
      assertFalse(Files.exists(empty));
      for (Path each : List.of(image, image(log, 1))) {
        try (TestLog again = TestLog.open(each)) {
          again.verifyAll();
        }
      }
    }
  }

  @Test
  void neitherTheAppendingThreadNorTheWriterWaits() throws Exception {
    Path log = directory.resolve("log");
    CountDownLatch deletes = new CountDownLatch(1);
    CountDownLatch mayDelete = new CountDownLatch(1);
    TreeDeletion slow =
        tree -> {
          deletes.countDown();
          try {
            mayDelete.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          DurableFiles.deleteTree(tree);
        };
    try (TestLog test = TestLog.open(log, slow);
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      test.fillSegments(3);
      long second = firsts(test).get(1);
      Future<Long> trimmed = thread.submit(() -> test.log.trim(second - 1));
      try {
        assertTrue(deletes.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS), "nothing is deleted");
        assertBeginsAt(test, second);
        test.fillSegments(5); // appends, and begins segments
        test.verifyAll();
        assertFalse(trimmed.isDone());
      } finally {
        mayDelete.countDown();
      }
      assertEquals(second, trimmed.get());
    }
  }

  @Test
  void readersGetTheRightEntryOrNone() throws Exception {
    Path log = directory.resolve("log");
    AtomicBoolean ended = new AtomicBoolean();
    AtomicInteger right = new AtomicInteger();
    AtomicInteger gone = new AtomicInteger();
    try (TestLog test = TestLog.open(log);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      test.fillSegments(4);
      List<Future<?>> others = new ArrayList<>();
      for (int seed = 0; seed < 3; seed++) {
        Random random = new Random(seed);
        others.add(
            threads.submit(
                () -> {
                  while (!ended.get()) {
                    readSome(test, random, right, gone);
                  }
                  return null;
                }));
      }
      others.add(
          threads.submit(
              () -> {
                while (!ended.get()) {
                  long durable = test.log.durableIndex();
                  assertTrue(test.log.trim(durable - 60) <= durable + 1);
                  for (LogSegment segment : test.log.segments()) {
                    assertTrue(segment.bytes() > 0);
                  }
                }
                return null;
              }));
      try {
        for (int i = 0; i < 60; i++) {
          test.appendDurably(40);
        }
      } finally {
        ended.set(true);
      }
      for (Future<?> other : others) {
        other.get();
      }
      test.verifyAll();
      assertTrue(test.log.firstIndex() > 1 && right.get() > 0, "something was trimmed and read");
    }
    assertNothingStaysOpen(log);
  }

  /** Also reads that begin before the first entry, and such that go over several segments. */
  private static void readSome(TestLog test, Random random, AtomicInteger right, AtomicInteger gone)
      throws IOException {
    long first = Math.max(1, test.log.firstIndex() - 20);
    long durable = test.log.durableIndex();
    long index = first + random.nextLong(durable - first + 1);
    try {
      if (random.nextBoolean()) {
        assertArrayEquals(TestLog.payload(index), test.log.read(index));
      } else {
        long[] next = {index};
        int count =
            test.log.read(
                index,
                60_000,
                (at, payload) -> {
                  assertEquals(next[0]++, at);
                  assertArrayEquals(TestLog.payload(at), payload);
                });
        assertTrue(count > 0);
      }
      right.incrementAndGet();
    } catch (IndexOutOfBoundsException trimmed) {
      assertTrue(index < test.log.firstIndex(), "entry " + index + " is there");
      gone.incrementAndGet();
    }
  }

  @Test
  void aTrimmedLogIsCutBehindAnEntryThatItHas() throws IOException {
    Path state = directory.resolve("state");
    Path log = state.resolve("oplog");
    long first;
    long last;
    try (TestLog test = TestLog.open(log)) {
      test.fillSegments(4);
      first = test.log.trim(firsts(test).get(2) - 1);
      last = test.log.durableIndex();
    }
    assertEquals(new LogCut.Extent(first, last, last), LogCut.extent(log));
    CutMark before = new CutMark(first - 1, state.resolve("cut/a"), state.resolve("cut/a.trace"));
    assertThrows(IllegalArgumentException.class, () -> LogCut.cut(state, before, _ -> {}));
    CutMark at = new CutMark(first, state.resolve("cut/b"), state.resolve("cut/b.trace"));
    assertTrue(LogCut.cut(state, at, _ -> {}) > 0);
    assertEquals(new LogCut.Extent(first, first, first), LogCut.extent(log));
    try (TestLog test = TestLog.open(log)) {
      assertEquals(List.of(first), test.recovered);
      test.appendDurably(20);
      test.verifyAll();
    }
  }

  private static void assertBeginsAt(TestLog test, long first) throws IOException {
    assertEquals(first, test.log.firstIndex());
    assertEquals(first, test.log.segments().getFirst().firstIndex());
    assertThrows(IndexOutOfBoundsException.class, () -> test.log.read(first - 1));
    assertThrows(IndexOutOfBoundsException.class, () -> test.log.read(first - 1, 1, (_, _) -> {}));
    if (first <= test.log.durableIndex()) {
      assertArrayEquals(TestLog.payload(first), test.log.read(first));
    }
  }

  private static List<Long> firsts(TestLog test) throws IOException {
    return test.log.segments().stream().map(LogSegment::firstIndex).toList();
  }

  private Path image(Path log, int number) throws IOException {
    return Disk.copy(log, directory.resolve("image-" + number));
  }

  /** No file of the log is open; full segments are closed by a thread of the log. */
  private static void assertNothingStaysOpen(Path log) throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    assumeTrue(Files.isDirectory(descriptors));
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    List<String> open = openBelow(log, descriptors);
    while (!open.isEmpty() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
      open = openBelow(log, descriptors);
    }
    assertEquals(List.of(), open);
  }

  private static List<String> openBelow(Path log, Path descriptors) throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> all = Files.list(descriptors)) {
      for (Path descriptor : all.toList()) {
        String target = target(descriptor);
        if (target.startsWith(log.toRealPath() + "/")) {
          open.add(target);
        }
      }
    }
    return open;
  }

  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closed) {
      return "";
    }
  }
}

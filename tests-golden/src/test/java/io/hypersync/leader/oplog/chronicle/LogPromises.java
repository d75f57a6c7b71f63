package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the guarantees of the op log in short runs on a real disk, with its writes observed. This
 * class is loaded anew for each mutant of the log; it reports the first guarantee that is broken.
 */
public final class LogPromises {
  private static final int SMALL = 256 << 10;
  private static final OpLogOptions OPTIONS = OpLogOptions.DEFAULT.withSegmentBytes(SMALL);

  /**
   * How long a chunk sync is held back, in nanoseconds: a log that does not wait for it
   * acknowledges its entry within this time.
   */
  private static final long LOOK_NANOS = 1_000_000_000L;

  /** A clock that stands still, so that no watermark is written for idleness. */
  private static final LogClock STILL =
      new LogClock() {
        @Override
        public long nanoTime() {
          return 0;
        }

        @Override
        public void park(Object blocker, long nanos) {
          LockSupport.park(blocker);
        }
      };

  private final Path directory;
  private final long patienceNanos;
  private final List<Entry> recovered = new ArrayList<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger writes = new AtomicInteger();
  private final AtomicInteger largestBatch = new AtomicInteger();
  private long needed;
  private TreeDeletion deletion = TreeDeletion.FILE_BY_FILE;
  private volatile long told;
  private volatile long brokenAt = -1;

  private record Entry(long index, byte[] payload) {}

  /** The check of one guarantee. */
  @FunctionalInterface
  private interface Promise {
    void isKept(LogPromises on) throws Exception;
  }

  private LogPromises(Path directory, long patienceNanos) {
    this.directory = directory;
    this.patienceNanos = patienceNanos;
  }

  /**
   * Checks all guarantees.
   *
   * @param scratch an empty directory
   * @param patienceNanos how long an expected event is awaited, in nanoseconds
   * @return the first broken guarantee; null if all hold
   */
  public static @Nullable String firstBroken(Path scratch, long patienceNanos) throws Exception {
    List<Promise> promises =
        List.of(
            LogPromises::whatIsDurableWasWrittenInPagesOfItsOwn,
            LogPromises::batchesKeepToTheirLimit,
            LogPromises::aFailureIsFinal,
            LogPromises::aCleanStopProtectsTheLastEntry,
            LogPromises::aRestProtectsTheLastEntry,
            LogPromises::segmentsAreFilledLeftAndRead,
            LogPromises::nothingIsReadBeforeItIsDurable,
            LogPromises::carriedEntriesRestOnSyncedChunks,
            LogPromises::restartsLeaveNothingBehind,
            LogPromises::segmentsGrow,
            LogPromises::whatNobodyTakesGoes,
            LogPromises::roomThatIsFreedIsUsed,
            LogPromises::whatIsNeededDecidesWhetherALogIsTaken,
            LogPromises::aTrimLeavesAllThatFollowsAtAnyPoint,
            LogPromises::entriesWaitForTheirChunks);
    for (int i = 0; i < promises.size(); i++) {
      try {
        promises.get(i).isKept(new LogPromises(scratch.resolve(String.valueOf(i)), patienceNanos));
      } catch (AssertionError broken) {
        return String.valueOf(broken.getMessage());
      }
    }
    return null;
  }

  private void whatIsDurableWasWrittenInPagesOfItsOwn() throws Exception {
    AtomicInteger crooked = new AtomicInteger();
    SegmentWrite watching =
        (file, channel, bytes, offset) -> {
          boolean first = writes.getAndIncrement() == 0; // behind Chronicle's header
          if (!first && offset % SegmentLayout.PAGE_BYTES != 0) {
            crooked.incrementAndGet();
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, watching, STILL)) {
      for (int i = 0; i < 5; i++) {
        append(log, 1, false);
        awaitDurable(log);
        require(writes.get() == i + 2, "an entry is durable that was not written");
      }
      require(told == 5, "nobody was told what is durable");
    }
    require(crooked.get() == 0, "a batch begins in a page with acknowledged bytes");
    expect(5);
  }

  private void batchesKeepToTheirLimit() throws Exception {
    Semaphore gate = new Semaphore(1);
    SegmentWrite gated =
        (file, channel, bytes, offset) -> {
          gate.acquireUninterruptibly();
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (ChronicleOpLog log =
        open(OPTIONS.withBatches(4, OPTIONS.batchMaxBytes()), ChunkSync.NONE, gated, STILL)) {
      append(log, 20, false);
      gate.release(100);
      awaitDurable(log);
    }
    require(largestBatch.get() <= 4, "a batch is larger than its limit");
  }

  private void entriesWaitForTheirChunks() throws Exception {
    AtomicInteger synced = new AtomicInteger();
    AtomicInteger early = new AtomicInteger();
    ChunkSync chunks =
        () -> {
          long deadline = System.nanoTime() + LOOK_NANOS;
          while (told == 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(100_000);
          }
          early.addAndGet((int) told);
          synced.incrementAndGet();
        };
    try (ChronicleOpLog log = open(OPTIONS, chunks, SegmentWrite.DSYNC, STILL)) {
      append(log, 1, true);
      awaitDurable(log);
      require(synced.get() == 1 && early.get() == 0, "an entry is durable before its chunks are");
    }
  }

  private void aFailureIsFinal() throws Exception {
    SegmentWrite failing =
        (file, channel, bytes, offset) -> {
          if (writes.incrementAndGet() == 3) {
            throw new IOException("Input/output error");
          }
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, failing, STILL)) {
      append(log, 1, false);
      awaitDurable(log);
      append(log, 1, false);
      await(() -> failures.get() > 0, "word of a failure");
      require(log.durableIndex() == 1, "an entry is durable though its write failed");
      require(isRefused(log), "an entry is accepted after a failure");
      require(log.tryLoneCommit() == null, "somebody may write after a failure");
    }
    require(writes.get() == 3, "something is written after a failure");
    require(failures.get() == 1, "a failure is told twice");
  }

  private void aCleanStopProtectsTheLastEntry() throws Exception {
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      append(log, 3, false);
      awaitDurable(log);
    }
    damage(directory, 3);
    require(isRefused(directory, 3), "after a clean stop an acknowledged entry is cut off");
  }

  private void aRestProtectsTheLastEntry() throws Exception {
    Path crashed = directory.resolveSibling(directory.getFileName() + "-crashed");
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, this::count, LogClock.SYSTEM)) {
      append(log, 1, false);
      awaitDurable(log);
      await(() -> writes.get() == 3, "a watermark of a log that rests");
      append(log, 1, false);
      awaitDurable(log);
      await(() -> writes.get() == 5, "a watermark of a log that rests again");
      copy(directory, crashed);
    }
    damage(crashed, 2);
    require(isRefused(crashed, 2), "after a rest an acknowledged entry is cut off");
  }

  private void segmentsAreFilledLeftAndRead() throws Exception {
    int count = 150; // more pages of entries than two segments hold
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      for (int i = 0; i < count; i++) {
        append(log, 1, false);
        awaitDurable(log);
      }
      List<Path> segments = segments(directory);
      require(segments.size() >= 3, "segments are not left");
      require(segments.size() <= 4, "segments are left before they are full: " + segments.size());
      for (long index = 1; index <= count; index += 7) {
        require(Arrays.equals(payload(index), log.read(index)), "another entry is read");
      }
      Path full = segments.getFirst().resolve(SegmentLayout.CYCLE_FILE);
      await(() -> sizeOf(full) <= SMALL, "room that is given back");
      require(log.preallocatedBytes() > 0, "nothing is allocated ahead");
    }
    expect(count);
  }

  private void nothingIsReadBeforeItIsDurable() throws Exception {
    Semaphore gate = new Semaphore(1);
    SegmentWrite gated =
        (file, channel, bytes, offset) -> {
          gate.acquireUninterruptibly();
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, gated, STILL)) {
      append(log, 1, false);
      try {
        var _ = log.read(1);
        throw new AssertionError("an entry is read that is not durable");
      } catch (IndexOutOfBoundsException right) {
        require(log.durableIndex() == 0, "an entry is durable that was not written");
      } finally {
        gate.release(100);
      }
      awaitDurable(log);
    }
  }

  private void carriedEntriesRestOnSyncedChunks() throws Exception {
    Path crashed = directory.resolveSibling(directory.getFileName() + "-crashed");
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      append(log, 2, true);
      awaitDurable(log);
      copy(directory, crashed);
    }
    AtomicInteger syncs = new AtomicInteger();
    LogPromises again = new LogPromises(crashed, patienceNanos);
    again.open(OPTIONS, syncs::incrementAndGet, SegmentWrite.DSYNC, STILL).close();
    require(again.recovered.size() == 2, "entries are lost");
    require(syncs.get() == 1, "entries are called durable whose chunks may not be");
  }

  private void restartsLeaveNothingBehind() throws Exception {
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      append(log, 1, false);
      awaitDurable(log);
    }
    Files.createDirectory(SegmentLayout.spare(directory, 99));
    for (int i = 0; i < 4; i++) {
      expect(1);
    }
    require(segments(directory).size() <= 3, "void segments pile up");
    try (Stream<Path> left = Files.list(directory)) {
      require(left.noneMatch(SegmentLayout::isUnpublished), "a spare segment is left behind");
    }
  }

  private void segmentsGrow() throws Exception {
    Files.createDirectories(directory);
    List<Integer> sizes = new ArrayList<>();
    try (SegmentPreparer preparer =
        new SegmentPreparer(directory, SMALL, 2 * SMALL, 1, SegmentWrite.DSYNC)) {
      preparer.start();
      for (int i = 0; i < 3; i++) {
        SegmentAppender segment = preparer.take();
        sizes.add(segment.segmentBytes());
        segment.discard();
      }
    }
    require(sizes.equals(List.of(SMALL, 2 * SMALL, 2 * SMALL)), "segments do not grow: " + sizes);
  }

  private void whatNobodyTakesGoes() throws Exception {
    Files.createDirectories(directory);
    try (SegmentPreparer preparer =
        new SegmentPreparer(directory, SMALL, SMALL, 1, SegmentWrite.DSYNC)) {
      preparer.start();
      await(preparer::answersAtOnce, "a spare segment");
    }
    try (Stream<Path> left = Files.list(directory)) {
      require(left.noneMatch(SegmentLayout::isUnpublished), "a segment that nobody took is left");
    }
  }

  private void roomThatIsFreedIsUsed() throws Exception {
    Path missing = directory.resolve("missing");
    Files.createDirectories(directory);
    try (SegmentPreparer preparer =
        new SegmentPreparer(missing, SMALL, SMALL, 1, SegmentWrite.DSYNC)) {
      preparer.start();
      await(preparer::answersAtOnce, "a failure for want of a directory");
      Files.createDirectory(missing);
      preparer.freed();
      try {
        preparer.take().discard();
      } catch (IOException stale) {
        throw new AssertionError("a failure counts that was before something was freed", stale);
      }
    }
  }

  private void whatIsNeededDecidesWhetherALogIsTaken() throws Exception {
    long last;
    long second;
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      fill(log, 3);
      last = log.durableIndex();
      second = log.segments().get(1).firstIndex();
    }
    require(isRefusedTo(last + 2), "a log is begun behind what somebody has");
    needed = last;
    recovered.clear();
    open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL).close();
    require(
        recovered.size() == 1 && recovered.getFirst().index == last,
        "not what is needed is recovered");
    needed = 0;
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      require(log.trim(second - 1) == second, "the wrong segment is trimmed");
    }
    require(isRefusedTo(second - 1), "a log is taken that lacks what is needed");
  }

  private boolean isRefusedTo(long firstNeeded) throws IOException {
    needed = firstNeeded;
    try {
      open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL).close();
      return false;
    } catch (OpLogCorruptException refused) {
      return true;
    }
  }

  /** Each crash image is opened as if nothing were known. */
  private void aTrimLeavesAllThatFollowsAtAnyPoint() throws Exception {
    List<Path> images = new ArrayList<>();
    deletion =
        tree -> {
          for (boolean half : List.of(false, true)) {
            Path image = directory.resolveSibling(directory.getFileName() + "-" + images.size());
            if (half) {
              Files.delete(tree.resolve(SegmentLayout.CYCLE_FILE));
            }
            copyWhole(directory, image);
            images.add(image);
          }
          TreeDeletion.FILE_BY_FILE.delete(tree);
        };
    long last;
    try (ChronicleOpLog log = open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)) {
      fill(log, 5);
      last = log.durableIndex();
      try {
        var _ = log.trim(last + 1);
        throw new AssertionError("what is not durable is trimmed");
      } catch (IllegalArgumentException right) {
        require(log.firstIndex() == 1, "something was trimmed");
      }
      long kept = log.segments().get(3).firstIndex();
      require(log.trim(kept + 1) == kept, "the log does not begin with the segment that stays");
      require(log.firstIndex() == kept, "the first index is another one");
      require(Arrays.equals(payload(kept), log.read(kept)), "what stays cannot be read");
      require(segments(directory).size() == 2, "a trim leaves other segments than it should");
      try {
        var _ = log.read(kept - 1);
        throw new AssertionError("what was trimmed is read");
      } catch (IndexOutOfBoundsException right) {
        require(images.size() == 6, "segments are not deleted one by one");
      }
      try (Stream<Path> left = Files.list(directory)) {
        require(
            left.filter(path -> path.getFileName().toString().startsWith("spare-")).count() <= 1,
            "what was trimmed stays on the disk");
      }
    }
    long reached = 0;
    for (Path image : images) {
      LogPromises crashed = new LogPromises(image, patienceNanos);
      crashed.open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL).close();
      long first = crashed.recovered.getFirst().index;
      require(
          first > 1 && first >= reached && crashed.recovered.getLast().index == last,
          "a crash in a trim leaves another log than its end");
      reached = first;
    }
  }

  private void fill(ChronicleOpLog log, int count) throws IOException {
    while (log.segments().size() < count) {
      append(log, 1, false);
      awaitDurable(log);
    }
  }

  private ChronicleOpLog open(
      OpLogOptions options, ChunkSync chunks, SegmentWrite disk, LogClock clock)
      throws IOException {
    RecoveryListener recovery =
        new RecoveryListener() {
          @Override
          public Verdict onRecord(long index, byte[] payload) {
            recovered.add(new Entry(index, payload));
            return Verdict.KEEP;
          }

          @Override
          public long firstNeeded(long first) {
            return needed == 0 ? first : needed;
          }
        };
    OpLogListener listener =
        new OpLogListener() {
          @Override
          public void onDurable(CommittedBatch batch) {
            if (batch.lastIndex() <= told) {
              brokenAt = batch.lastIndex();
            }
            told = batch.lastIndex();
            largestBatch.accumulateAndGet(batch.ops(), Math::max);
          }

          @Override
          public void onFailure(OpLogFailedException failure) {
            failures.incrementAndGet();
          }
        };
    return ChronicleOpLog.open(
        directory, options, chunks, recovery, listener, disk, deletion, clock);
  }

  private void count(Path file, FileChannel channel, ByteBuffer bytes, long offset)
      throws IOException {
    SegmentWrite.DSYNC.write(file, channel, bytes, offset);
    writes.incrementAndGet();
  }

  private static void append(ChronicleOpLog log, int count, boolean chunks) throws IOException {
    for (int i = 0; i < count; i++) {
      long index = log.appendedIndex() + 1;
      log.append(index, payload(index), chunks);
    }
  }

  private void awaitDurable(ChronicleOpLog log) {
    long index = log.appendedIndex();
    await(() -> told >= index || failures.get() > 0, "entry " + index);
    require(failures.get() == 0, "the log fails by itself");
    require(log.durableIndex() == index, "the durable index is wrong");
    require(brokenAt < 0, "the durable index falls");
  }

  /** Opens the log again; it must hold exactly the first {@code count} entries. */
  private void expect(int count) throws IOException {
    LogPromises again = new LogPromises(directory, patienceNanos);
    again.open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL).close();
    require(again.recovered.size() == count, "recovered " + again.recovered.size() + " entries");
    for (int i = 0; i < count; i++) {
      Entry entry = again.recovered.get(i);
      require(
          entry.index == i + 1 && Arrays.equals(payload(i + 1), entry.payload),
          "another entry is recovered");
    }
  }

  private static boolean isRefused(ChronicleOpLog log) throws IOException {
    try {
      append(log, 1, false);
      return false;
    } catch (OpLogFailedException refused) {
      return true;
    }
  }

  private boolean isRefused(Path log, long index) throws IOException {
    try {
      new LogPromises(log, patienceNanos)
          .open(OPTIONS, ChunkSync.NONE, SegmentWrite.DSYNC, STILL)
          .close();
      return false;
    } catch (OpLogCorruptException refused) {
      return refused.index() == index;
    }
  }

  /** Flips a bit in the last byte of an entry. */
  private static void damage(Path log, long index) throws IOException {
    for (Path segment : segments(log)) {
      Path file = segment.resolve(SegmentLayout.CYCLE_FILE);
      long at = endOf(log, file, SegmentLayout.sequenceOf(segment), index) - 1;
      if (at >= 0) {
        try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
          ByteBuffer one = ByteBuffer.allocate(1);
          int _ = channel.read(one, at);
          one.put(0, (byte) (one.get(0) ^ 1)).flip();
          int _ = channel.write(one, at);
        }
        return;
      }
    }
    throw new AssertionError("entry " + index + " is in no segment");
  }

  private static long endOf(Path log, Path file, long sequence, long index) throws IOException {
    try (SegmentScanner scanner =
        new SegmentScanner(LogFiles.in(log).open(file), SegmentScanner.SEQUENTIAL_WINDOW_BYTES)) {
      LogRecord header = scanner.header(sequence, SegmentLayout.FIRST_RECORD_BEFORE);
      LogRecord record = header;
      while (record != null && header != null) {
        if (record.kind() == RecordKind.ENTRY && record.index() == index) {
          return record.end();
        }
        record = scanner.entry(record.end(), header.segmentId());
      }
    }
    return -1;
  }

  private static List<Path> segments(Path log) throws IOException {
    List<Path> found = new ArrayList<>(LogFiles.in(log).segments());
    found.sort(null);
    return found;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path segment : segments(from)) {
      Path target = Files.createDirectory(to.resolve(segment.getFileName()));
      Files.copy(
          segment.resolve(SegmentLayout.CYCLE_FILE), target.resolve(SegmentLayout.CYCLE_FILE));
    }
  }

  /** Also copies segments of which not all files are left. */
  private static void copyWhole(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path segment : segments(from)) {
      Path target = Files.createDirectory(to.resolve(segment.getFileName()));
      try (Stream<Path> files = Files.list(segment)) {
        for (Path file : files.toList()) {
          Files.copy(file, target.resolve(file.getFileName()));
        }
      }
    }
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new AssertionError("a segment is gone", e);
    }
  }

  private static byte[] payload(long index) {
    byte[] payload = new byte[100 + (int) (index % 400)];
    Arrays.fill(payload, (byte) index);
    return payload;
  }

  private void await(BooleanSupplier done, String what) {
    long deadline = System.nanoTime() + patienceNanos;
    while (!done.getAsBoolean()) {
      require(System.nanoTime() < deadline, "in vain waited for " + what);
      LockSupport.parkNanos(100_000);
    }
  }

  private static void require(boolean kept, String broken) {
    if (!kept) {
      throw new AssertionError(broken);
    }
  }
}

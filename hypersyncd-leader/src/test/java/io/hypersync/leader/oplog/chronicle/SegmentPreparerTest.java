package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A spare segment is allocated ahead: it is taken complete, or leaves no trace. */
class SegmentPreparerTest {
  private static final int BYTES = 256 << 10;

  @TempDir Path directory;

  @Test
  void whoTakesItHasItWholeAndClosingLeavesIt() throws IOException {
    SegmentPreparer preparer = prepare(directory);
    SegmentAppender segment = preparer.take();
    preparer.close();
    assertEquals(7, segment.sequence());
    assertEquals(SegmentLayout.roomForEntries(BYTES), segment.roomLeft());
    assertTrue(Files.exists(segment.file()));
    segment.discard();
    assertEquals(List.of(), left());
  }

  /** A log that is rarely written takes little disk space; a busy one soon has large segments. */
  @Test
  void eachOneIsTwiceAsLargeAsTheOneBeforeUpToALimit() throws IOException {
    List<Integer> sizes = new ArrayList<>();
    try (SegmentPreparer preparer =
        new SegmentPreparer(directory, BYTES, 3 * BYTES, 7, SegmentWrite.DSYNC)) {
      preparer.start();
      for (int i = 0; i < 4; i++) {
        SegmentAppender segment = preparer.take();
        sizes.add(segment.segmentBytes());
        segment.discard();
      }
    }
    assertEquals(List.of(BYTES, 2 * BYTES, 3 * BYTES, 3 * BYTES), sizes);
  }

  @Test
  void whatNobodyTakesIsGone() throws IOException {
    prepare(directory).close();
    assertEquals(List.of(), left());
  }

  /** A disk that was full when recovery began may have room when it ends. */
  @Test
  void afterSomethingWasFreedNoEarlierFailureCounts() throws Exception {
    Path missing = directory.resolve("later");
    try (SegmentPreparer preparer = prepare(missing)) {
      assertThrows(OpLogFullException.class, preparer::take);
      Files.createDirectory(missing);
      preparer.freed();
      preparer.take().discard();
    }
  }

  @Test
  void whoeverCannotHaveItIsToldWhy() throws IOException {
    try (SegmentPreparer preparer = prepare(directory.resolve("never"))) {
      OpLogFullException full = assertThrows(OpLogFullException.class, preparer::take);
      assertInstanceOf(IOException.class, full.getCause());
      preparer.freed();
      assertThrows(OpLogFullException.class, preparer::take);
    }
  }

  /** A carried entry may be larger than a segment with these options can hold. */
  @Test
  void aLogWhoseTailIsTooLargeForASegmentGoesOnInOneThatHoldsIt() throws IOException {
    byte[] large = new byte[200 << 10];
    Path crashed = directory.resolve("crashed");
    Path written = directory.resolve("written");
    try (ChronicleOpLog log = open(written, TestLog.SMALL.withSegmentBytes(1 << 20))) {
      log.append(1, large, false);
      while (log.durableIndex() < 1) {
        Thread.onSpinWait();
      }
      Disk.copy(written, crashed); // before anything proves it durable
    }
    try (ChronicleOpLog log = open(crashed, TestLog.SMALL)) {
      assertArrayEquals(large, log.read(1));
      Path newest = Disk.segments(crashed).getLast();
      assertTrue(
          Files.size(newest.resolve(SegmentLayout.CYCLE_FILE)) > 4L * large.length,
          "Chronicle reads documents up to a quarter of a segment");
    }
  }

  @Test
  void aLogThatIsRefusedKeepsWhatWasThereAndNothingElse() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(10);
    }
    Path leftByARunBefore = Files.createDirectory(SegmentLayout.spare(directory, 99));
    List<Path> before = left();
    assertThrows(
        IllegalStateException.class,
        () ->
            ChronicleOpLog.open(
                directory,
                TestLog.SMALL,
                ChunkSync.NONE,
                (_, _) -> {
                  throw new IllegalStateException("refused");
                },
                new Nobody()));
    assertEquals(before, left());
    open(directory, TestLog.SMALL).close();
    assertTrue(Files.notExists(leftByARunBefore), "a log that is whole is tidied");
  }

  private static ChronicleOpLog open(Path log, OpLogOptions options) throws IOException {
    return ChronicleOpLog.open(log, options, ChunkSync.NONE, (_, _) -> Verdict.KEEP, new Nobody());
  }

  private static SegmentPreparer prepare(Path log) {
    SegmentPreparer preparer = new SegmentPreparer(log, BYTES, BYTES, 7, SegmentWrite.DSYNC);
    preparer.start();
    return preparer;
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  private static final class Nobody implements OpLogListener {
    @Override
    public void onDurable(CommittedBatch batch) {}

    @Override
    public void onFailure(OpLogFailedException failure) {}
  }
}

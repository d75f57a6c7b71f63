package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The segment that is allocated while the log is recovered: taken whole, or gone without a trace.
 */
class FirstSegmentTest {
  private static final int BYTES = 256 << 10;

  @TempDir Path directory;

  @Test
  void whoTakesItHasItWholeAndClosingLeavesIt() throws IOException {
    FirstSegment first = prepare();
    SegmentAppender segment = first.take(BYTES);
    first.close();
    assertEquals(7, segment.sequence());
    assertEquals(SegmentLayout.roomForEntries(BYTES), segment.roomLeft());
    assertTrue(Files.exists(segment.file()));
    segment.discard();
    assertEquals(List.of(), left());
  }

  @Test
  void whoNeedsALargerOneGetsItInItsPlace() throws IOException {
    try (FirstSegment first = prepare()) {
      SegmentAppender segment = first.take(2 * BYTES);
      assertEquals(SegmentLayout.roomForEntries(2 * BYTES), segment.roomLeft());
      assertEquals(2, left().size(), "one segment and its placeholder: " + left());
      segment.discard();
    }
  }

  @Test
  void whatNobodyTakesIsGone() throws IOException {
    prepare().close();
    assertEquals(List.of(), left());
  }

  /** A disk that was full when the log began to be read may have room when it has been. */
  @Test
  void whatCouldNotBeAllocatedIsTriedOnceMore() throws Exception {
    Path missing = directory.resolve("later");
    try (FirstSegment first = FirstSegment.prepare(missing, 7, BYTES, SegmentWrite.DSYNC)) {
      awaitEndOfThread();
      Files.createDirectory(missing);
      first.take(BYTES).discard();
    }
  }

  @Test
  void whoeverCannotHaveItIsToldWhy() {
    Path missing = directory.resolve("never");
    try (FirstSegment first = FirstSegment.prepare(missing, 7, BYTES, SegmentWrite.DSYNC)) {
      assertThrows(IOException.class, () -> first.take(BYTES));
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
    ChronicleOpLog.open(
            directory, TestLog.SMALL, ChunkSync.NONE, (_, _) -> Verdict.KEEP, new Nobody())
        .close();
    assertTrue(Files.notExists(leftByARunBefore), "a log that is whole is tidied");
  }

  private FirstSegment prepare() {
    return FirstSegment.prepare(directory, 7, BYTES, SegmentWrite.DSYNC);
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  private static void awaitEndOfThread() throws InterruptedException {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(FirstSegment.THREAD_NAME))) {
      Thread.sleep(5);
    }
  }

  private static final class Nobody implements OpLogListener {
    @Override
    public void onDurable(CommittedBatch batch) {}

    @Override
    public void onFailure(OpLogFailedException failure) {}
  }
}

package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is written at once is one that a leader recovers and goes on with. */
class LogRewriteTest {
  private static final int ENTRIES = 400;

  @TempDir Path directory;

  @Test
  void aLogOfSeveralSegmentsIsRecoveredAndGoesOn() throws IOException {
    LogRewrite rewrite = new LogRewrite(directory, RootVersion.LATEST, 64 << 10);
    for (long index = 1; index <= ENTRIES; index++) {
      rewrite.append(TestLog.payload(index));
    }
    rewrite.finish();
    int segments = Disk.segments(directory).size();
    assertTrue(segments > 1, "segments: " + segments);
    assertEquals(ENTRIES, LogCut.extent(directory).durableIndex(), "all of it is durable");
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(ENTRIES, test.lastRecovered());
      assertEquals(ENTRIES, test.log.durableIndex());
      test.appendDurably(50);
      test.verifyAll();
    }
    try (TestLog test = TestLog.open(directory)) {
      assertEquals(ENTRIES + 50, test.lastRecovered());
    }
  }

  @Test
  void aLogWithoutEntriesHasNoSegment() throws IOException {
    new LogRewrite(directory, RootVersion.LATEST).finish();
    assertEquals(0, Disk.segments(directory).size());
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(3);
    }
  }
}

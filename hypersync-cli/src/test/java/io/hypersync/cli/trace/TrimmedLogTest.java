package io.hypersync.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.CollectedFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log without its first entries is looked at from the oldest snapshot on (hypersync.md 14.1). */
class TrimmedLogTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final WorkspaceId OTHER = new WorkspaceId(1, 3);
  private static final int FIRST = TrimmedLog.FIRST;
  private static final int LAST = TrimmedLog.LAST;

  @TempDir Path state;

  @Test
  void allRootsBehindTheOldestSnapshotAreCompared() throws IOException {
    TrimmedLog log = TrimmedLog.write(state, WORKSPACE, FIRST - 1, LAST - 1);
    StateTrace.Checked checked = StateTrace.check(state, WORKSPACE, _ -> {});
    assertEquals(FIRST - 1, checked.begin());
    assertEquals(LAST - FIRST + 1, checked.entries());
    assertEquals(log.root(LAST), checked.end().root());
  }

  @Test
  void aWrongRootBehindItIsFound() throws IOException {
    TrimmedLog.writeFaulty(state, WORKSPACE, 0, LAST - 1, FIRST - 1, LAST);
    ReplayException wrong =
        assertThrows(ReplayException.class, () -> StateTrace.check(state, WORKSPACE, _ -> {}));
    assertTrue(wrong.getMessage().startsWith("log entry " + (LAST - 1)), wrong::getMessage);
  }

  /** The log has the snapshot's entry, and says another root. */
  @Test
  void aSnapshotThatIsNotOfThisLogIsRefused() throws IOException {
    TrimmedLog.writeFaulty(state, WORKSPACE, 0, FIRST, FIRST);
    ReplayException wrong =
        assertThrows(ReplayException.class, () -> StateTrace.check(state, WORKSPACE, _ -> {}));
    assertTrue(wrong.getMessage().contains("the snapshot of it has root"), wrong::getMessage);
  }

  @Test
  void itsTraceReplaysToTheSameRootElsewhere() throws IOException {
    TrimmedLog log = TrimmedLog.write(state, WORKSPACE, FIRST - 1, LAST - 1);
    TraceReport report = replay(trace());
    assertNull(report.mismatch());
    assertEquals(FIRST - 1, report.begin());
    assertEquals(LAST - FIRST + 1, report.entries());
    assertEquals(log.root(LAST), report.root());
  }

  /** Content of entries that the log still has may be gone: a trace begins behind that. */
  @Test
  void aTraceBeginsBehindWhatWasCollected() throws IOException {
    TrimmedLog log = TrimmedLog.writeFaulty(state, WORKSPACE, LAST - 2, 0, FIRST - 1, LAST - 1);
    CollectedFile.open(state, List.of()).raise(LAST - 2);
    TraceReport report = replay(trace());
    assertNull(report.mismatch());
    assertEquals(LAST - 1, report.begin());
    assertEquals(log.root(LAST), report.root());
    assertEquals(FIRST - 1, StateTrace.check(state, WORKSPACE, _ -> {}).begin());
  }

  @Test
  void aTraceMayHaveNoEntryAtAll() throws IOException {
    TrimmedLog log = TrimmedLog.write(state, WORKSPACE, LAST);
    TraceReport report = replay(trace());
    assertNull(report.mismatch());
    assertEquals(0, report.entries());
    assertEquals(log.root(LAST), report.root());
  }

  @Test
  void aSnapshotThatCannotBeReadIsPassedOver() throws IOException {
    TrimmedLog log = TrimmedLog.write(state, WORKSPACE, LAST - 1);
    // the pages of this one are in no store
    Path elsewhere = state.resolve("elsewhere");
    TrimmedLog.write(elsewhere, WORKSPACE, FIRST - 1);
    String name = String.format(Locale.ROOT, "snapshots/%020d.snapshot", FIRST - 1);
    Files.copy(elsewhere.resolve(name), state.resolve(name));
    StateTrace.Checked checked = StateTrace.check(state, WORKSPACE, _ -> {});
    assertEquals(LAST - 1, checked.begin());
    assertEquals(log.root(LAST), checked.end().root());
  }

  @Test
  void theSurveyCountsWhatTheLogHas() throws IOException {
    TrimmedLog log = TrimmedLog.write(state, WORKSPACE, FIRST - 1, LAST);
    try (ChunkStore chunks = chunks()) {
      LogSurvey survey = LogSurvey.of(state, WORKSPACE, chunks, FIRST, _ -> {});
      assertEquals(log.root(FIRST), survey.root());
      assertEquals(1, survey.kept());
      assertEquals(LAST - FIRST, survey.cut());
      assertEquals(0, survey.lostFiles());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      assertEquals(
          LAST - FIRST + 1, LogSurvey.trace(state, WORKSPACE, chunks, FIRST, out).entries());
      assertEquals(log.root(LAST), replay(out.toByteArray()).root());
    }
  }

  @Test
  void withoutASnapshotThatFitsItIsRefused() throws IOException {
    TrimmedLog.write(state, WORKSPACE, FIRST - 2);
    ReplayException refused =
        assertThrows(ReplayException.class, () -> StateTrace.check(state, WORKSPACE, _ -> {}));
    assertTrue(refused.getMessage().contains("the log begins with it"), refused::getMessage);
    assertThrows(IOException.class, this::trace);
    try (ChunkStore chunks = chunks()) {
      UserError survey =
          assertThrows(
              UserError.class, () -> LogSurvey.of(state, WORKSPACE, chunks, LAST, _ -> {}));
      assertTrue(survey.message().contains("no snapshot of entry 102 to 106"), survey::message);
    }
  }

  @Test
  void snapshotsOfAnotherWorkspaceAreNotUsed() throws IOException {
    TrimmedLog.write(state, OTHER, FIRST - 1);
    assertThrows(ReplayException.class, () -> StateTrace.check(state, WORKSPACE, _ -> {}));
  }

  private byte[] trace() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    var _ = StateTrace.write(state, WORKSPACE, out, _ -> {});
    return out.toByteArray();
  }

  private static TraceReport replay(byte[] trace) throws IOException {
    return TraceReplay.replay(
        new TraceReader(new ByteArrayInputStream(trace)), new InMemoryChunkStore(), _ -> {});
  }

  private ChunkStore chunks() {
    return DiskChunkStore.open(state.resolve("chunks"), DiskChunkStoreOptions.DEFAULT);
  }
}

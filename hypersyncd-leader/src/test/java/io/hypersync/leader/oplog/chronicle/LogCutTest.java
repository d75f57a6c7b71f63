package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.LogCut.Step;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cut of the log, interrupted anywhere, leaves the log uncut, cut, or to be cut again. */
@Tag("slow")
class LogCutTest {
  private static final int ENTRIES = 240;
  private static final int MORE = 20;

  @TempDir Path directory;

  private Path template = Path.of("");

  /** Thrown to end a cut where a crash would. */
  private static final class Crash extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;
  }

  /** A log of several runs, and so of several segments; the last run was killed. */
  @BeforeEach
  void aLogOfSeveralSegments() throws IOException {
    Path oplog = directory.resolve("first");
    for (int run = 0; run < 3; run++) {
      try (TestLog log = TestLog.open(oplog)) {
        log.appendDurably(60);
      }
    }
    template = directory.resolve("template");
    Files.createDirectory(template);
    try (TestLog log = TestLog.open(oplog)) {
      log.appendDurably(60);
      Disk.copy(oplog, template.resolve("oplog"));
    }
    assertEquals(ENTRIES, LogCut.extent(template.resolve("oplog")).lastIndex());
  }

  @Test
  void whatIsBehindTheEntryIsGoneAndTheLogGoesOn() throws IOException {
    int cases = 0;
    for (long after : List.of(1L, 60L, 61L, 100L, 180L)) {
      Path state = copy("whole-" + after);
      int moved = LogCut.cut(state, plan(state, after), _ -> {});
      assertCut(state, after, moved);
      cases++;
    }
    assertEquals(5, cases);
  }

  /** The last batch of a killed leader may be in memory only, because a sync of it has failed. */
  @Test
  void noCutSaysOfAnEntryThatItIsDurableUnlessTheLogDoes() throws IOException {
    Path state = copy("killed");
    LogCut.Extent log = LogCut.extent(state.resolve("oplog"));
    assertTrue(log.durableIndex() >= 180 && log.durableIndex() < ENTRIES, log::toString);
    for (long after : List.of(log.durableIndex() + 1, (long) ENTRIES)) {
      assertThrows(
          IllegalArgumentException.class, () -> LogCut.cut(state, plan(state, after), _ -> {}));
    }
    assertEquals(ENTRIES, indexes(state).size());
    int moved = LogCut.cut(state, plan(state, log.durableIndex()), _ -> {});
    assertCut(state, log.durableIndex(), moved);
  }

  /** A starting leader writes such entries again. */
  @Test
  void afterAStartAndAStopTheLogVouchesForAll() throws IOException {
    try (TestLog log = TestLog.open(template.resolve("oplog"))) {
      assertEquals(ENTRIES, log.lastRecovered());
    }
    for (long after : List.of(ENTRIES - 1L, (long) ENTRIES)) {
      Path state = copy("stopped-" + after);
      assertEquals(new LogCut.Extent(1, ENTRIES, ENTRIES), LogCut.extent(state.resolve("oplog")));
      var _ = LogCut.cut(state, plan(state, after), _ -> {});
      assertGoesOnBehind(state, after);
    }
  }

  @Test
  void aCutThatIsInterruptedIsUndoneRefusedOrDone() throws IOException {
    for (long after : List.of(30L, 120L)) {
      for (Step step : Step.values()) {
        for (int time = 1; time <= (step == Step.MOVED ? 2 : 1); time++) {
          String name = after + "-" + step + "-" + time;
          Path state = copy(name);
          crashAt(state, after, step, time);
          boolean isBetween = step == Step.MARKED || step == Step.MOVED || step == Step.PUBLISHED;
          assertEquals(
              isBetween ? Optional.of(plan(state, after)) : Optional.empty(),
              LogCut.unfinished(state),
              name);
          List<Long> left = indexes(state);
          switch (step) {
            case RESERVED, PREPARED, MARKED -> assertEquals(ENTRIES, left.size(), name);
            case MOVED -> assertTrue(left.size() >= after, name);
            case PUBLISHED, DONE -> assertEquals(after, left.size(), name);
          }
          var _ = LogCut.cut(state, new CutMark(after, again(state), null), _ -> {});
          assertEquals(Optional.empty(), LogCut.unfinished(state), name);
          if (isBetween) {
            assertFalse(Files.exists(again(state)), name);
            assertEquals(
                Disk.segments(template.resolve("oplog")).size() + 1,
                Disk.segments(state.resolve("oplog")).size() + Disk.segments(aside(state)).size(),
                name);
          }
          assertGoesOnBehind(state, after);
        }
      }
    }
  }

  @Test
  void anEntryThatIsNotThereCutsNothing() throws IOException {
    Path state = copy("none");
    for (long after : new long[] {Long.MIN_VALUE, 0, ENTRIES + 1, Long.MAX_VALUE}) {
      assertThrows(
          IllegalArgumentException.class, () -> LogCut.cut(state, plan(state, after), _ -> {}));
    }
    assertEquals(ENTRIES, indexes(state).size());
  }

  @Test
  void aFolderThatCannotBeUsedLeavesTheLogAsItWas() throws IOException {
    Path state = copy("no-folder");
    Files.writeString(state.resolve("cut"), "a file");
    assertThrows(IOException.class, () -> LogCut.cut(state, plan(state, 60), _ -> {}));
    assertEquals(Optional.empty(), LogCut.unfinished(state));
    assertGoesOnBehind(state, ENTRIES);
  }

  @Test
  void aFolderOnAnotherFilesystemLeavesTheLogAsItWas() throws IOException {
    Path state = copy("elsewhere");
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(memory) && !isOneFilesystem(memory, state));
    Path other = Files.createTempDirectory(memory, "cut");
    try {
      CutMark plan = new CutMark(60, other.resolve("aside"), other.resolve("trace"));
      IOException said = assertThrows(IOException.class, () -> LogCut.cut(state, plan, _ -> {}));
      assertTrue(String.valueOf(said.getMessage()).contains("same filesystem"), said::toString);
      assertFalse(Files.exists(plan.segments()));
    } finally {
      DurableFiles.deleteTree(other);
    }
    assertEquals(Optional.empty(), LogCut.unfinished(state));
    assertGoesOnBehind(state, ENTRIES);
  }

  /** Without a sync of both folders, a power loss may lose segments that were moved aside. */
  @Test
  void theMarkStaysUntilTheFoldersAreSynced() throws IOException {
    Path state = copy("unsynced");
    crashAt(state, 120, Step.PUBLISHED, 1);
    Files.move(state.resolve("cut"), state.resolve("moved"));
    Files.writeString(state.resolve("cut"), "no folder");
    assertThrows(IOException.class, () -> LogCut.cut(state, plan(state, 120), _ -> {}));
    assertEquals(Optional.of(plan(state, 120)), LogCut.unfinished(state));
    Files.delete(state.resolve("cut"));
    assertEquals(0, LogCut.cut(state, plan(state, 120), _ -> {}));
    assertGoesOnBehind(state, 120);
  }

  /** Without a trace, the later entries of the last remaining segment are only in its copy. */
  @Test
  void withoutATraceTheSegmentWithTheEntryIsKeptAsWell() throws IOException {
    Path state = copy("no-trace");
    int moved = LogCut.cut(state, new CutMark(100, aside(state), null), _ -> {});
    List<Path> kept = Disk.segments(aside(state));
    assertEquals(moved + 1, kept.size());
    Path copy = kept.getFirst().resolve(SegmentLayout.CYCLE_FILE);
    assertTrue(Disk.entries(copy).getLast().index() > 100);
    Path segment = state.resolve("oplog").resolve(kept.getFirst().getFileName());
    Path stays = segment.resolve(SegmentLayout.CYCLE_FILE);
    assertEquals(-1, Files.mismatch(stays, copy));
    assertGoesOnBehind(state, 100);
  }

  @Test
  void aMarkSaysWhereWhatIsCutGoes() throws IOException {
    Path state = directory.toRealPath();
    CutMark mark = new CutMark(7, state.resolve("cut/a b"), Path.of("/else where/x%.trace"));
    mark.write(state);
    String text =
        """
        hypersync cut 2
        after 7
        segments cut/a%20b
        trace file:///else%20where/x%25.trace
        """;
    assertEquals(text, Files.readString(state.resolve("cut.unfinished")));
    assertEquals(Optional.of(mark), LogCut.unfinished(state));
    CutMark without = new CutMark(7, state.resolve("cut/a b"), null);
    without.write(state);
    assertEquals(Optional.of(without), LogCut.unfinished(state));
    Files.writeString(state.resolve("cut.unfinished"), "7\n");
    assertEquals(
        Optional.of(new CutMark(7, state.resolve("cut/after-7"), null)), LogCut.unfinished(state));
  }

  private static boolean isOneFilesystem(Path one, Path other) throws IOException {
    return Files.getAttribute(one, "unix:dev").equals(Files.getAttribute(other, "unix:dev"));
  }

  @Test
  void aMarkThatIsNoNumberIsNotTakenForNone() throws IOException {
    Files.writeString(directory.resolve("cut.unfinished"), "soon");
    assertThrows(IOException.class, () -> LogCut.unfinished(directory));
  }

  private Path copy(String name) throws IOException {
    Path state = directory.resolve(name);
    Files.createDirectory(state);
    Disk.copy(template.resolve("oplog"), state.resolve("oplog"));
    return state;
  }

  private static Path aside(Path state) {
    return state.resolve("cut/after");
  }

  private static Path again(Path state) {
    return state.resolve("cut/again");
  }

  private static CutMark plan(Path state, long after) {
    return new CutMark(after, aside(state), state.resolve("cut/after.trace"));
  }

  private static void crashAt(Path state, long after, Step where, int time) {
    int[] left = {time};
    assertThrows(
        Crash.class,
        () ->
            LogCut.cut(
                state,
                plan(state, after),
                step -> {
                  if (step == where && --left[0] == 0) {
                    throw new Crash();
                  }
                }));
  }

  /** Nothing was deleted: segments that left the log are in the folder for removed segments. */
  private void assertCut(Path state, long after, int moved) throws IOException {
    int before = Disk.segments(template.resolve("oplog")).size();
    int now = Disk.segments(state.resolve("oplog")).size();
    assertEquals(before + 1, now + moved, "segments, and the new one");
    assertEquals(moved, moved == 0 ? 0 : Disk.segments(aside(state)).size());
    assertEquals(Optional.empty(), LogCut.unfinished(state));
    assertGoesOnBehind(state, after);
  }

  private static void assertGoesOnBehind(Path state, long after) throws IOException {
    Path oplog = state.resolve("oplog");
    assertEquals(after, indexes(state).size());
    try (TestLog log = TestLog.open(oplog)) {
      assertEquals(after, log.lastRecovered());
      log.appendDurably(MORE);
      log.verifyAll();
    }
    try (TestLog log = TestLog.open(oplog)) {
      assertEquals(after + MORE, log.lastRecovered());
      log.verifyAll();
    }
  }

  private static List<Long> indexes(Path state) throws IOException {
    List<Long> found = new ArrayList<>();
    ChronicleOpLog.read(
        state.resolve("oplog"),
        (index, payload) -> {
          assertEquals(found.size() + 1L, index);
          assertArrayEquals(TestLog.payload(index), payload);
          found.add(index);
          return Verdict.KEEP;
        });
    return found;
  }
}

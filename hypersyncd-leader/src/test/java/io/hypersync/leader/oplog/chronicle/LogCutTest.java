package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.LogCut.Step;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log is cut behind an entry, or it is not, wherever that is interrupted. */
class LogCutTest {
  private static final int ENTRIES = 240;
  private static final int MORE = 20;

  @TempDir Path directory;

  private Path template = Path.of("");

  /** What a test throws to end a cut where a crash would. */
  private static final class Crash extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;
  }

  /** Of several runs, so of several segments, the last of which was killed. */
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
    assertEquals(ENTRIES, LogCut.lastIndex(template.resolve("oplog")));
  }

  @Test
  void whatIsBehindTheEntryIsGoneAndTheLogGoesOn() throws IOException {
    int cases = 0;
    for (long after : List.of(1L, 60L, 61L, 100L, ENTRIES - 1L, (long) ENTRIES)) {
      Path state = copy("whole-" + after);
      int moved = LogCut.cut(state, aside(state), after, _ -> {});
      assertCut(state, after, moved);
      cases++;
    }
    assertEquals(6, cases);
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
              isBetween ? OptionalLong.of(after) : OptionalLong.empty(),
              LogCut.unfinished(state),
              name);
          List<Long> left = indexes(state);
          switch (step) {
            case KEPT_IS_DURABLE, PREPARED, MARKED -> assertEquals(ENTRIES, left.size(), name);
            case MOVED -> assertTrue(left.size() >= after, name);
            case PUBLISHED, DONE -> assertEquals(after, left.size(), name);
          }
          var _ = LogCut.cut(state, state.resolve("cut/again"), after, _ -> {});
          assertEquals(OptionalLong.empty(), LogCut.unfinished(state), name);
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
          IllegalArgumentException.class, () -> LogCut.cut(state, aside(state), after, _ -> {}));
    }
    assertEquals(ENTRIES, indexes(state).size());
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

  private static void crashAt(Path state, long after, Step where, int time) {
    int[] left = {time};
    assertThrows(
        Crash.class,
        () ->
            LogCut.cut(
                state,
                aside(state),
                after,
                step -> {
                  if (step == where && --left[0] == 0) {
                    throw new Crash();
                  }
                }));
  }

  /** Nothing was deleted: the segments that are not in the log are aside. */
  private void assertCut(Path state, long after, int moved) throws IOException {
    int before = Disk.segments(template.resolve("oplog")).size();
    int now = Disk.segments(state.resolve("oplog")).size();
    assertEquals(before + 1, now + moved, "segments, and the new one");
    assertEquals(moved, moved == 0 ? 0 : Disk.segments(aside(state)).size());
    assertEquals(OptionalLong.empty(), LogCut.unfinished(state));
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

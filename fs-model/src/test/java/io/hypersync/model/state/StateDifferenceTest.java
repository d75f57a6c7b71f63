package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.difference.Change;
import io.hypersync.model.difference.StateDifference;
import io.hypersync.model.id.Name;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.XattrMode;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What differs between a state and a later one, as a table; each row the other way round, too. */
class StateDifferenceTest {
  record Row(
      String what,
      Consumer<Scenario> setup,
      Consumer<Scenario> then,
      String path,
      String expected) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Row row(
      String what, Consumer<Scenario> setup, Consumer<Scenario> then, String... expected) {
    return new Row(what, setup, then, "", String.join("\n", expected));
  }

  private static Row below(
      String path, Consumer<Scenario> setup, Consumer<Scenario> then, String... expected) {
    return new Row("only " + path, setup, then, path, String.join("\n", expected));
  }

  private static void tree(Scenario s) {
    s.dir("/a").dir("/a/sub").file("/a/f").file("/a/sub/g").dir("/b").file("/b/h").file("/top");
  }

  static Stream<Row> rows() {
    return Stream.of(
        row("nothing", StateDifferenceTest::tree, s -> {}),
        row(
            "new nodes",
            StateDifferenceTest::tree,
            s -> s.dir("/a/n").file("/a/n/x").link("/l", "a/f"),
            "ADDED a/n",
            "ADDED a/n/x",
            "ADDED l"),
        row(
            "removed nodes, one of them still open",
            StateDifferenceTest::tree,
            s -> s.did(s.unlink("/a/sub/g")).did(s.rmdir("/a/sub")).did(s.unlink("/top")),
            "REMOVED a/sub",
            "REMOVED a/sub/g",
            "REMOVED top"),
        row("an orphan that is reaped is not seen", s -> s.orphan("@o"), s -> s.did(s.reap("@o"))),
        row(
            "a directory whose children did not change",
            StateDifferenceTest::tree,
            s -> s.did(s.rename("/a", "/b/c", RenameMode.REPLACE)),
            "MOVED b/c from a"),
        row(
            "a change below a directory that has moved has its new path",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.rename("/a", "/z", RenameMode.REPLACE));
              s.did(s.write("/z/sub/g", 0, s.chunk("c", 3)));
            },
            "MOVED z from a",
            "CHANGED z/sub/g [CONTENT]"),
        row(
            "swap of two trees",
            StateDifferenceTest::tree,
            s -> s.did(s.rename("/a", "/b", RenameMode.EXCHANGE)),
            "MOVED a from b",
            "MOVED b from a"),
        row(
            "moved out and back",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.rename("/a/sub", "/b/sub", RenameMode.REPLACE));
              s.did(s.rename("/b/sub", "/a/sub", RenameMode.REPLACE));
            }),
        row(
            "written anew and renamed",
            StateDifferenceTest::tree,
            s -> {
              s.file("/a/f.tmp").did(s.write("/a/f.tmp", 0, s.chunk("c", 3)));
              s.did(s.rename("/a/f.tmp", "/a/f", RenameMode.REPLACE));
            },
            "CHANGED a/f [CONTENT, REPLACED]"),
        row(
            "a file in the place of one that was renamed",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.rename("/a/f", "/a/f.old", RenameMode.REPLACE));
              s.file("/a/f");
            },
            "ADDED a/f",
            "MOVED a/f.old from a/f"),
        row(
            "a directory in the place of a file",
            StateDifferenceTest::tree,
            s -> s.did(s.unlink("/top")).dir("/top"),
            "ADDED top",
            "REMOVED top"),
        row(
            "a second name",
            StateDifferenceTest::tree,
            s -> s.did(s.hardLink("/a/f", "/b/f")),
            "LINKED b/f"),
        row(
            "one of two names",
            s -> {
              tree(s);
              s.did(s.hardLink("/a/f", "/b/f"));
            },
            s -> s.did(s.unlink("/a/f")),
            "UNLINKED a/f"),
        row(
            "a new file with two names",
            StateDifferenceTest::tree,
            s -> s.file("/x").did(s.hardLink("/x", "/y")),
            "ADDED x",
            "LINKED y"),
        row(
            "mode only",
            StateDifferenceTest::tree,
            s -> s.did(s.set("/a/sub/g", SetAttributes.MODE, 0600, 0, 0, 0)),
            "CHANGED a/sub/g [MODE]"),
        row(
            "owner and mode of directories, of the root, too",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.set("/a", SetAttributes.UID, 0, 99, 0, 0));
              s.did(s.set("/", SetAttributes.MODE, 0700, 0, 0, 0));
            },
            "CHANGED . [MODE]",
            "CHANGED a [OWNER]"),
        row(
            "an attribute",
            StateDifferenceTest::tree,
            s -> s.did(s.setXattr("/b/h", "user.x", s.chunk("v", 2), XattrMode.SET)),
            "CHANGED b/h [XATTRS]"),
        row(
            "a hole",
            s -> s.file("/f").did(s.write("/f", 0, s.chunk("c", 3))),
            s -> s.did(s.truncate("/f", 0)).did(s.truncate("/f", 3)),
            "CHANGED f [CONTENT]"),
        row(
            "a size without data",
            s -> s.file("/f"),
            s -> s.did(s.truncate("/f", 1L << 40)),
            "CHANGED f [CONTENT]"),
        row(
            "a time that was set",
            StateDifferenceTest::tree,
            s -> s.did(s.set("/top", SetAttributes.MTIME, 0, 0, 0, 12)),
            "CHANGED top [MTIME]"),
        row(
            "moved and written",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.write("/top", 0, s.chunk("c", 3)));
              s.did(s.rename("/top", "/b/t", RenameMode.REPLACE));
            },
            "MOVED b/t from top [CONTENT]"),
        below(
            "a/sub",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.write("/a/f", 0, s.chunk("c", 3)));
              s.did(s.write("/a/sub/g", 0, s.chunk("c", 3)));
              s.did(s.rename("/b/h", "/a/sub/h", RenameMode.REPLACE));
              s.file("/n");
            },
            "CHANGED a/sub/g [CONTENT]",
            "MOVED a/sub/h from b/h"),
        below(
            "top",
            StateDifferenceTest::tree,
            s -> s.did(s.write("/top", 0, s.chunk("c", 3))).file("/n"),
            "CHANGED top [CONTENT]"),
        below(
            "a",
            s -> {
              tree(s);
              s.did(s.hardLink("/a/f", "/b/other"));
            },
            s -> s.did(s.write("/a/f", 0, s.chunk("c", 3))),
            "CHANGED a/f [CONTENT]"),
        below(
            "b",
            s -> {
              tree(s);
              s.did(s.hardLink("/a/f", "/b/other"));
            },
            s -> s.did(s.write("/a/f", 0, s.chunk("c", 3))),
            "CHANGED b/other [CONTENT]"),
        below(
            "a",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.hardLink("/a/f", "/b/other"));
              s.did(s.write("/a/f", 0, s.chunk("c", 3)));
            },
            "CHANGED a/f [CONTENT]"),
        below(
            "a",
            StateDifferenceTest::tree,
            s -> {
              s.did(s.rename("/a", "/z", RenameMode.REPLACE));
              s.did(s.write("/z/sub/g", 0, s.chunk("c", 3)));
              s.did(s.write("/b/h", 0, s.chunk("c", 3)));
            },
            "MOVED z from a",
            "CHANGED z/sub/g [CONTENT]"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void showsWhatDiffers(Row row) {
    Scenario scenario = new Scenario();
    row.setup.accept(scenario);
    FsState from = scenario.state();
    row.then.accept(scenario);
    assertEquals(row.expected, text(from, scenario.state(), row.path), row.what);
    assertEquals("", text(scenario.state(), scenario.state(), row.path), "with itself");
    assertEquals(
        row.expected.lines().count(),
        text(scenario.state(), from, row.path).lines().count(),
        "the other way round");
  }

  @Test
  void whatIsTooMuchIsCounted() {
    Scenario scenario = new Scenario();
    FsState from = scenario.state();
    for (int i = 0; i < 20; i++) {
      FsOp create = scenario.create("/f" + i, 0644);
      scenario.did(create);
    }
    StateDifference.Result result =
        StateDifference.of(from, scenario.state(), List.of(), 7, StateDifference.Limits.NONE);
    assertEquals(7, result.changes().size());
    assertFalse(result.isComplete());
    assertEquals(21, result.differingNodes(), "the root's entries differ, too");
  }

  /** What a comparison takes is asked for before it is taken, and given back. */
  @Test
  void memoryIsBounded() {
    Scenario scenario = new Scenario();
    FsState from = scenario.state();
    for (int i = 0; i < 3_000; i++) {
      scenario.did(scenario.create("/f" + i, 0644));
    }
    for (int most : new int[] {1, 100}) {
      AtomicLong taken = new AtomicLong();
      AtomicLong peak = new AtomicLong();
      StateDifference.Limits limits =
          new StateDifference.Limits() {
            @Override
            public void step() {}

            @Override
            public void heap(long bytes) {
              peak.accumulateAndGet(taken.addAndGet(bytes), Math::max);
            }
          };
      var _ = StateDifference.of(from, scenario.state(), List.of(), most, limits);
      assertTrue(taken.get() < most * 1_200L, "is not given back: " + taken);
      assertTrue(peak.get() < 30_000_000L, "the window, and little besides: " + peak);
    }
  }

  private static String text(FsState from, FsState to, String path) {
    List<Name> names =
        Arrays.stream(path.split("/", -1)).filter(part -> !part.isEmpty()).map(Name::of).toList();
    StateDifference.Result result =
        StateDifference.of(from, to, names, 1_000, StateDifference.Limits.NONE);
    assertTrue(result.isComplete());
    return String.join("\n", result.changes().stream().map(StateDifferenceTest::line).toList());
  }

  private static String line(Change change) {
    return change.kind()
        + " "
        + change.path()
        + (change.oldPath() == null ? "" : " from " + change.oldPath())
        + (change.aspects().isEmpty()
            ? ""
            : " " + change.aspects().stream().sorted(Comparator.comparing(Enum::name)).toList());
  }
}

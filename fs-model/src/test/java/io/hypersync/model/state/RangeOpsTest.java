package io.hypersync.model.state;

import static io.hypersync.model.state.OpRow.row;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.CopyRange;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.XattrMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** fallocate, copy_file_range, and where data and holes are (hypersync.md 5.2.1, 6.1.1). */
class RangeOpsTest {
  private static final String COPIED = "/g size=10 mtime=now ctime=now content=";

  static Stream<OpRow> allocations() {
    return Stream.of(
        row(
            "behind the end: longer, and nothing reserved",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.EXTEND, 5, 20),
            "/f size=25 mtime=now ctime=now"),
        row(
            "within the file: the times alone",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.EXTEND, 2, 3),
            "/f mtime=now ctime=now"),
        row(
            "up to 2^63-1",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.EXTEND, 0, Long.MAX_VALUE),
            "/f size=9223372036854775807 mtime=now ctime=now"),
        row(
            "past 2^63-1",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.EXTEND, 1, Long.MAX_VALUE),
            "EFBIG"),
        row(
            "past 2^63-1, keeping the size",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.KEEP_SIZE, Long.MAX_VALUE, 1),
            "EFBIG"),
        row(
            "keeping the size",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.KEEP_SIZE, 5, 20),
            "/f mtime=now ctime=now"),
        row(
            "a hole in the middle",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.PUNCH_HOLE, 3, 4),
            "/f mtime=now ctime=now content=0+3:a@0,7+3:a@7"),
        row(
            "a hole over the end",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.PUNCH_HOLE, 3, 100),
            "/f mtime=now ctime=now content=0+3:a@0"),
        row(
            "a hole where nothing is",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.PUNCH_HOLE, 100, 100),
            "/f mtime=now ctime=now"),
        row(
            "zeros over the end make it longer",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.ZERO_RANGE, 8, 4),
            "/f size=12 mtime=now ctime=now content=0+8:a@0"),
        row(
            "zeros over the end, keeping the size",
            RangeOpsTest::tenBytes,
            fs -> allocate(fs, "/f", AllocateMode.ZERO_RANGE_KEEP_SIZE, 8, 4),
            "/f mtime=now ctime=now content=0+8:a@0"),
        row(
            "an orphan that is still open",
            fs -> fs.orphan("@f"),
            fs -> allocate(fs, "@f", AllocateMode.EXTEND, 0, 4),
            "#2 size=4 mtime=now ctime=now"),
        row(
            "takes capabilities, and set-id bits if told to",
            RangeOpsTest::privileged,
            fs -> new FsOp.Allocate(fs.at("/f"), AllocateMode.KEEP_SIZE, 0, 1, true),
            "/f mode=755 mtime=now ctime=now xattrs="),
        row(
            "keeps set-id bits otherwise",
            RangeOpsTest::privileged,
            fs -> allocate(fs, "/f", AllocateMode.KEEP_SIZE, 0, 1),
            "/f mtime=now ctime=now xattrs="),
        row(
            "a directory",
            fs -> fs.dir("/d"),
            fs -> allocate(fs, "/d", AllocateMode.EXTEND, 0, 1),
            "EISDIR"),
        row(
            "a FIFO",
            fs -> fs.special("/p", NodeType.FIFO, 0600),
            fs -> allocate(fs, "/p", AllocateMode.EXTEND, 0, 1),
            "ENODEV"),
        row(
            "no file",
            fs -> {},
            fs -> allocate(fs, "@nowhere", AllocateMode.EXTEND, 0, 1),
            "ENOENT"));
  }

  static Stream<OpRow> copies() {
    return Stream.of(
        row(
            "all of it",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 0, "/g", 0, 10),
            COPIED + "0+3:a@0,6+4:b@0"),
        row(
            "parts of extents",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 1, "/g", 2, 7),
            "/g size=9 mtime=now ctime=now content=2+2:a@1,7+2:b@0"),
        row(
            "more than there is: to the source's end",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 8, "/g", 0, 100),
            "/g size=2 mtime=now ctime=now content=0+2:b@2"),
        row(
            "a hole, over data",
            fs -> source(fs.file("/h")).did(fs.write("/g", 0, fs.chunk("c", 10))),
            fs -> copy(fs, "/f", 3, "/g", 4, 3),
            "/g mtime=now ctime=now content=0+4:c@0,7+3:c@7"),
        row(
            "a hole at the end makes the target longer",
            fs -> source(fs).did(fs.truncate("/f", 20)),
            fs -> copy(fs, "/f", 10, "/g", 0, 10),
            "/g size=10 mtime=now ctime=now"),
        row(
            "what joins a neighbour of the same chunk is merged",
            fs -> source(fs).did(copy(fs, "/f", 6, "/g", 0, 2)),
            fs -> copy(fs, "/f", 8, "/g", 2, 2),
            "/g size=4 mtime=now ctime=now content=0+4:b@0"),
        row(
            "behind the target's end leaves a hole",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 0, "/g", 100, 3),
            "/g size=103 mtime=now ctime=now content=100+3:a@0"),
        row(
            "within a file",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 0, "/f", 3, 3),
            "/f mtime=now ctime=now content=0+3:a@0,3+3:a@0,6+4:b@0"),
        row("onto itself", RangeOpsTest::source, fs -> copy(fs, "/f", 0, "/f", 2, 3), "EINVAL"),
        row(
            "backwards onto itself",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 2, "/f", 0, 3),
            "EINVAL"),
        row(
            "at the source's end",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 10, "/g", 0, 1),
            "ENODATA"),
        row(
            "past the source's end, which the leader has not cut",
            RangeOpsTest::source,
            fs -> new CopyRange(fs.at("/f"), 9, fs.at("/g"), 0, 2, false),
            "EINVAL"),
        row(
            "past 2^63-1",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 0, "/g", Long.MAX_VALUE, 1),
            "EFBIG"),
        row(
            "takes capabilities and set-id bits of the target",
            fs -> privileged(fs).file("/s").did(fs.write("/s", 0, fs.chunk("b", 1))),
            fs -> new CopyRange(fs.at("/s"), 0, fs.at("/f"), 0, 1, true),
            "/f mode=755 size=1 mtime=now ctime=now xattrs= content=0+1:b@0"),
        row(
            "from a directory",
            fs -> fs.dir("/d").file("/g"),
            fs -> copy(fs, "/d", 0, "/g", 0, 1),
            "EISDIR"),
        row(
            "to a FIFO",
            fs -> source(fs).special("/p", NodeType.FIFO, 0600),
            fs -> copy(fs, "/f", 0, "/p", 0, 1),
            "EINVAL"),
        row(
            "to nothing",
            RangeOpsTest::source,
            fs -> copy(fs, "/f", 0, "@nowhere", 0, 1),
            "ENOENT"),
        row(
            "from nothing",
            fs -> fs.file("/g"),
            fs -> copy(fs, "@nowhere", 0, "/g", 0, 1),
            "ENOENT"));
  }

  @ParameterizedTest(name = "fallocate {0}")
  @MethodSource("allocations")
  void allocates(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "copy {0}")
  @MethodSource("copies")
  void copies(OpRow row) {
    row.check();
  }

  /**
   * The limit bounds the size of a log entry and the leader's time for one op, however large the
   * file is.
   */
  @Test
  void theLeaderCutsACopyAtTheMostExtents() {
    Scenario fs = new Scenario().file("/f").file("/g");
    List<ChunkRef> chunks = new ArrayList<>();
    for (int i = 0; i < CopyRange.MAX_EXTENTS; i++) {
      chunks.add(fs.chunk("c" + i % 2, 7));
    }
    ChunkRef[] most = chunks.toArray(ChunkRef[]::new);
    long hole = 7L * CopyRange.MAX_EXTENTS;
    fs.did(fs.write("/f", 0, most));
    assertEquals(hole, cut(fs, 0, CopyRange.MAX_BYTES), "all of a file with as many");
    fs.did(fs.write("/f", hole + 100, fs.chunk("d", 1)));
    assertEquals(hole + 100, cut(fs, 0, CopyRange.MAX_BYTES), "up to one more");
    assertEquals(hole + 100, cut(fs, 1, CopyRange.MAX_BYTES) + 1, "from within the first");
    assertEquals(hole + 101, cut(fs, 7, CopyRange.MAX_BYTES) + 7, "from the second");
    assertEquals(50, cut(fs, 0, 50), "what needs no cut");
  }

  private static long cut(Scenario fs, long from, long length) {
    FsOp op = new CopyRange(fs.at("/f"), from, fs.at("/g"), 0, length, false);
    return ((CopyRange) FsStateMachine.resolve(fs.state(), op)).length();
  }

  @ParameterizedTest(name = "from {0}: data at {1}, a hole at {2}")
  @CsvSource({"0, 0, 3", "2, 2, 3", "3, 6, 3", "5, 6, 5", "6, 6, 11", "9, 9, 11", "11, -1, 11"})
  void findsDataAndHoles(long offset, long data, long hole) {
    Scenario fs = source(new Scenario());
    fs.did(fs.write("/f", 10, fs.chunk("c", 1))).did(fs.truncate("/f", 20));
    FileContent content = (FileContent) node(fs).content();
    assertEquals(data, content.nextData(offset), "data");
    assertEquals(hole, content.nextHole(offset), "hole");
  }

  private static Node node(Scenario fs) {
    return Objects.requireNonNull(fs.state().node(fs.at("/f")));
  }

  private static FsOp allocate(
      Scenario fs, String path, AllocateMode mode, long offset, long length) {
    return new FsOp.Allocate(fs.at(path), mode, offset, length, false);
  }

  /** The op after the leader has resolved it. */
  private static FsOp copy(
      Scenario fs, String source, long from, String target, long to, long length) {
    return FsStateMachine.resolve(
        fs.state(), new CopyRange(fs.at(source), from, fs.at(target), to, length, false));
  }

  private static void tenBytes(Scenario fs) {
    fs.file("/f").did(fs.write("/f", 0, fs.chunk("a", 10)));
  }

  /** Creates /f, with three bytes, a hole of three and four bytes, and an empty /g. */
  private static Scenario source(Scenario fs) {
    fs.file("/f").file("/g");
    return fs.did(fs.write("/f", 0, fs.chunk("a", 3))).did(fs.write("/f", 6, fs.chunk("b", 4)));
  }

  private static Scenario privileged(Scenario fs) {
    return fs.file("/f", 06755)
        .did(fs.setXattr("/f", "security.capability", fs.chunk("cap", 20), XattrMode.SET));
  }
}

package io.hypersync.model.state;

import static io.hypersync.model.state.OpRow.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.XattrMode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** write and truncate (hypersync.md 5.2.1, 6.1, 22.1(7)). */
class ContentOpsTest {
  private static final String CAPABILITY = "security.capability";

  static Stream<OpRow> writes() {
    return Stream.of(
        row(
            "the first bytes",
            fs -> fs.file("/f"),
            fs -> fs.write("/f", 0, fs.chunk("a", 10)),
            "/f size=10 mtime=now ctime=now content=0+10:a@0"),
        row(
            "several chunks",
            fs -> fs.file("/f"),
            fs -> fs.write("/f", 5, fs.chunk("a", 10), fs.chunk("b", 1), fs.chunk("a", 10)),
            "/f size=26 mtime=now ctime=now content=5+10:a@0,15+1:b@0,16+10:a@0"),
        row(
            "over the middle",
            ContentOpsTest::tenBytes,
            fs -> fs.write("/f", 3, fs.chunk("b", 4)),
            "/f mtime=now ctime=now content=0+3:a@0,3+4:b@0,7+3:a@7"),
        row(
            "over the end",
            ContentOpsTest::tenBytes,
            fs -> fs.write("/f", 8, fs.chunk("b", 4)),
            "/f size=12 mtime=now ctime=now content=0+8:a@0,8+4:b@0"),
        row(
            "behind the end leaves a hole",
            ContentOpsTest::tenBytes,
            fs -> fs.write("/f", 20, fs.chunk("b", 4)),
            "/f size=24 mtime=now ctime=now content=0+10:a@0,20+4:b@0"),
        row(
            "the same bytes again",
            ContentOpsTest::tenBytes,
            fs -> fs.write("/f", 0, fs.chunk("a", 10)),
            "/f mtime=now ctime=now"),
        row(
            "to both names of a file",
            fs -> fs.file("/f").did(fs.hardLink("/f", "/g")),
            fs -> fs.write("/g", 0, fs.chunk("a", 10)),
            "/f size=10 mtime=now ctime=now content=0+10:a@0",
            "/g size=10 mtime=now ctime=now content=0+10:a@0"),
        row(
            "to an orphan that is still open",
            fs -> fs.orphan("@f"),
            fs -> fs.write("@f", 0, fs.chunk("a", 10)),
            "#2 size=10 mtime=now ctime=now content=0+10:a@0"),
        row(
            "up to 2^63-1",
            fs -> fs.file("/f"),
            fs -> fs.write("/f", Long.MAX_VALUE - 10, fs.chunk("a", 10)),
            "/f size=9223372036854775807 mtime=now ctime=now content=9223372036854775797+10:a@0"),
        row(
            "past 2^63-1",
            fs -> fs.file("/f"),
            fs -> fs.write("/f", Long.MAX_VALUE - 9, fs.chunk("a", 10)),
            "EFBIG"),
        row(
            "at 2^63-1",
            fs -> fs.file("/f"),
            fs -> fs.write("/f", Long.MAX_VALUE, fs.chunk("a", 1)),
            "EFBIG"),
        row(
            "to a directory",
            fs -> fs.dir("/d"),
            fs -> fs.write("/d", 0, fs.chunk("a", 1)),
            "EISDIR"),
        row(
            "to a symlink",
            fs -> fs.file("/f").link("/l", "f"),
            fs -> fs.write("/l", 0, fs.chunk("a", 1)),
            "EINVAL"),
        row(
            "to a FIFO",
            fs -> fs.special("/p", NodeType.FIFO, 0600),
            fs -> fs.write("/p", 0, fs.chunk("a", 1)),
            "EINVAL"),
        row("to nothing", fs -> {}, fs -> fs.write("@nowhere", 0, fs.chunk("a", 1)), "ENOENT"),
        row(
            "to what was reaped",
            fs -> fs.orphan("@f").did(fs.reap("@f")),
            fs -> fs.write("@f", 0, fs.chunk("a", 1)),
            "ENOENT"));
  }

  static Stream<OpRow> appends() {
    return Stream.of(
        row(
            "resolved by the leader",
            ContentOpsTest::tenBytes,
            fs -> FsStateMachine.resolve(fs.state(), fs.append("/f", 0, fs.chunk("b", 4))),
            "/f size=14 mtime=now ctime=now content=0+10:a@0,10+4:b@0"),
        row(
            "to an empty file needs no resolving",
            fs -> fs.file("/f"),
            fs -> fs.append("/f", 0, fs.chunk("b", 4)),
            "/f size=4 mtime=now ctime=now content=0+4:b@0"),
        row(
            "behind a hole",
            fs -> fs.file("/f").did(fs.truncate("/f", 100)),
            fs -> FsStateMachine.resolve(fs.state(), fs.append("/f", 0, fs.chunk("b", 4))),
            "/f size=104 mtime=now ctime=now content=100+4:b@0"),
        row(
            "not resolved",
            ContentOpsTest::tenBytes,
            fs -> fs.append("/f", 0, fs.chunk("b", 4)),
            "EINVAL"),
        row(
            "resolved on an older state",
            ContentOpsTest::tenBytes,
            fs -> fs.append("/f", 9, fs.chunk("b", 4)),
            "EINVAL"),
        row(
            "to a file of the greatest size",
            fs -> fs.file("/f").did(fs.truncate("/f", Long.MAX_VALUE)),
            fs -> FsStateMachine.resolve(fs.state(), fs.append("/f", 0, fs.chunk("b", 1))),
            "EFBIG"),
        row(
            "to a directory",
            fs -> fs.dir("/d"),
            fs -> FsStateMachine.resolve(fs.state(), fs.append("/d", 0, fs.chunk("b", 1))),
            "EISDIR"),
        row(
            "to nothing",
            fs -> {},
            fs -> FsStateMachine.resolve(fs.state(), fs.append("@nowhere", 0, fs.chunk("b", 1))),
            "ENOENT"));
  }

  static Stream<OpRow> truncates() {
    return Stream.of(
        row(
            "to nothing",
            ContentOpsTest::tenBytes,
            fs -> fs.truncate("/f", 0),
            "/f size= mtime=now ctime=now content="),
        row(
            "shorter, inside an extent",
            ContentOpsTest::tenBytes,
            fs -> fs.truncate("/f", 4),
            "/f size=4 mtime=now ctime=now content=0+4:a@0"),
        row(
            "shorter, between extents",
            fs -> fs.file("/f").did(fs.write("/f", 0, fs.chunk("a", 10), fs.chunk("b", 10))),
            fs -> fs.truncate("/f", 10),
            "/f size=10 mtime=now ctime=now content=0+10:a@0"),
        row(
            "longer makes a hole",
            ContentOpsTest::tenBytes,
            fs -> fs.truncate("/f", 1L << 40),
            "/f size=1099511627776 mtime=now ctime=now"),
        row(
            "longer after shorter does not bring bytes back",
            fs -> {
              tenBytes(fs);
              fs.did(fs.truncate("/f", 4));
            },
            fs -> fs.truncate("/f", 10),
            "/f size=10 mtime=now ctime=now"),
        row(
            "to the greatest size",
            fs -> fs.file("/f"),
            fs -> fs.truncate("/f", Long.MAX_VALUE),
            "/f size=9223372036854775807 mtime=now ctime=now"),
        row(
            "from the greatest size",
            fs -> {
              tenBytes(fs);
              fs.did(fs.truncate("/f", Long.MAX_VALUE));
            },
            fs -> fs.truncate("/f", 5),
            "/f size=5 mtime=now ctime=now content=0+5:a@0"),
        row(
            "to the same size is a change",
            ContentOpsTest::tenBytes,
            fs -> fs.truncate("/f", 10),
            "/f mtime=now ctime=now"),
        row(
            "of an empty file to nothing is a change",
            fs -> fs.file("/f"),
            fs -> fs.truncate("/f", 0),
            "/f mtime=now ctime=now"),
        row(
            "of an orphan that is still open",
            fs -> fs.orphan("@f"),
            fs -> fs.truncate("@f", 3),
            "#2 size=3 mtime=now ctime=now"),
        row("of a directory", fs -> fs.dir("/d"), fs -> fs.truncate("/d", 0), "EISDIR"),
        row("of a symlink", fs -> fs.link("/l", "x"), fs -> fs.truncate("/l", 0), "EINVAL"),
        row(
            "of a socket",
            fs -> fs.special("/s", NodeType.SOCKET, 0600),
            fs -> fs.truncate("/s", 0),
            "EINVAL"),
        row("of no file", fs -> {}, fs -> fs.truncate("@nowhere", 0), "ENOENT"));
  }

  /** As the kernel requires of a filesystem with FUSE_HANDLE_KILLPRIV_V2. */
  static Stream<OpRow> privileges() {
    return Stream.of(
        row(
            "a privileged write keeps the set-id bits",
            fs -> fs.file("/f", 06755),
            fs -> fs.write("/f", 0, fs.chunk("a", 1)),
            "/f size=1 mtime=now ctime=now content=0+1:a@0"),
        row(
            "another write clears them",
            fs -> fs.file("/f", 06755),
            fs -> fs.writeAndKill("/f", 0, fs.chunk("a", 1)),
            "/f mode=755 size=1 mtime=now ctime=now content=0+1:a@0"),
        row(
            "but not set-group-id without group execution, which is no privilege",
            fs -> fs.file("/f", 06745),
            fs -> fs.writeAndKill("/f", 0, fs.chunk("a", 1)),
            "/f mode=2745 size=1 mtime=now ctime=now content=0+1:a@0"),
        row(
            "any write takes file capabilities away, and no other attribute",
            ContentOpsTest::withCapability,
            fs -> fs.write("/f", 0, fs.chunk("a", 1)),
            "/f size=1 mtime=now ctime=now xattrs=user.a=v:5 content=0+1:a@0"),
        row(
            "a write without privilege takes both",
            ContentOpsTest::withCapability,
            fs -> fs.writeAndKill("/f", 0, fs.chunk("a", 1)),
            "/f mode=755 size=1 mtime=now ctime=now xattrs=user.a=v:5 content=0+1:a@0"),
        row(
            "a privileged truncate keeps the set-id bits, not the capabilities",
            ContentOpsTest::withCapability,
            fs -> fs.truncate("/f", 3),
            "/f size=3 mtime=now ctime=now xattrs=user.a=v:5"),
        row(
            "another truncate takes both",
            ContentOpsTest::withCapability,
            fs -> fs.truncateAndKill("/f", 0),
            "/f mode=755 mtime=now ctime=now xattrs=user.a=v:5"));
  }

  @ParameterizedTest(name = "write {0}")
  @MethodSource("writes")
  void writes(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "append {0}")
  @MethodSource("appends")
  void appends(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "truncate {0}")
  @MethodSource("truncates")
  void truncates(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("privileges")
  void takesPrivilegesAway(OpRow row) {
    row.check();
  }

  @Test
  void onlyAppendsToFilesAreResolved() {
    Scenario fs = new Scenario().link("/l", "target");
    tenBytes(fs);
    FsOp append = fs.append("/f", 0, fs.chunk("b", 1));
    assertEquals(fs.append("/f", 10, fs.chunk("b", 1)), FsStateMachine.resolve(fs.state(), append));
    for (FsOp other :
        new FsOp[] {
          fs.write("/f", 0, fs.chunk("b", 1)),
          fs.truncate("/f", 0),
          fs.append("/", 0, fs.chunk("b", 1)),
          fs.append("/l", 0, fs.chunk("b", 1)),
          fs.append("@nowhere", 0, fs.chunk("b", 1))
        }) {
      assertSame(other, FsStateMachine.resolve(fs.state(), other));
    }
  }

  private static void tenBytes(Scenario fs) {
    fs.file("/f").did(fs.write("/f", 0, fs.chunk("a", 10)));
  }

  private static void withCapability(Scenario fs) {
    fs.file("/f", 06755)
        .did(fs.setXattr("/f", CAPABILITY, fs.chunk("cap", 20), XattrMode.SET))
        .did(fs.setXattr("/f", "user.a", fs.chunk("v", 5), XattrMode.SET));
  }
}

package io.hypersync.model.state;

import static io.hypersync.model.op.FsOp.SetAttributes.GID;
import static io.hypersync.model.op.FsOp.SetAttributes.KILL_PRIVILEGES;
import static io.hypersync.model.op.FsOp.SetAttributes.MODE;
import static io.hypersync.model.op.FsOp.SetAttributes.MTIME;
import static io.hypersync.model.op.FsOp.SetAttributes.MTIME_NOW;
import static io.hypersync.model.op.FsOp.SetAttributes.UID;
import static io.hypersync.model.state.OpRow.row;

import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.XattrMode;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** chmod, chown, utimensat, setxattr, removexattr (hypersync.md 6.1, 9.4). */
class AttributeOpsTest {
  private static final String CAPABILITY = "security.capability";

  static Stream<OpRow> attributes() {
    return Stream.of(
        row(
            "chmod",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MODE, 0600, 1, 2, 3),
            "/f mode=600 ctime=now"),
        row(
            "chmod sets the set-id bits",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MODE, 07777, 0, 0, 0),
            "/f mode=7777 ctime=now"),
        row(
            "chmod of the root",
            fs -> {},
            fs -> fs.set("/", MODE, 0700, 0, 0, 0),
            "/ mode=700 ctime=now"),
        row(
            "chmod to the same mode is a change",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MODE, 0644, 0, 0, 0),
            "/f ctime=now"),
        row(
            "chmod of an orphan that is still open",
            fs -> fs.orphan("@f"),
            fs -> fs.set("@f", MODE, 0600, 0, 0, 0),
            "#2 mode=600 ctime=now"),
        row(
            "chmod of a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.set("@d", MODE, 0700, 0, 0, 0),
            "#2 mode=700 ctime=now"),
        row("chmod of nothing", fs -> {}, fs -> fs.set("@nowhere", MODE, 0, 0, 0, 0), "ENOENT"),
        row(
            "chown of the user",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", UID, 0600, 1, 2, 3),
            "/f owner=1:8 ctime=now"),
        row(
            "chown of the group",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", GID, 0600, 1, 2, 3),
            "/f owner=7:2 ctime=now"),
        row(
            "chown of both",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", UID | GID, 0600, 1, 2, 3),
            "/f owner=1:2 ctime=now"),
        row(
            "chown of a symlink is its own",
            fs -> fs.file("/f").link("/l", "f"),
            fs -> fs.set("/l", UID, 0, 1, 0, 0),
            "/l owner=1:8 ctime=now"),
        row(
            "chown clears the set-id bits",
            fs -> fs.file("/f", 06755),
            fs -> fs.set("/f", UID, 0, 1, 0, 0),
            "/f mode=755 owner=1:8 ctime=now"),
        row(
            "chown to the same owner does, too",
            fs -> fs.file("/f", 06755),
            fs -> fs.set("/f", GID, 0, 0, Scenario.GID, 0),
            "/f mode=755 ctime=now"),
        row(
            "chown keeps set-group-id without group execution",
            fs -> fs.file("/f", 06745),
            fs -> fs.set("/f", UID, 0, 1, 0, 0),
            "/f mode=2745 owner=1:8 ctime=now"),
        row(
            "chown of a FIFO clears the set-id bits",
            fs -> fs.special("/p", NodeType.FIFO, 06755),
            fs -> fs.set("/p", UID, 0, 1, 0, 0),
            "/p mode=755 owner=1:8 ctime=now"),
        row(
            "chown of a directory keeps its bits",
            fs -> fs.dir("/d", 06755),
            fs -> fs.set("/d", UID | GID | KILL_PRIVILEGES, 0, 1, 2, 0),
            "/d owner=1:2 ctime=now"),
        row(
            "chown takes file capabilities away, and no other attribute",
            fs ->
                fs.file("/f")
                    .did(fs.setXattr("/f", CAPABILITY, fs.chunk("cap", 20), XattrMode.SET))
                    .did(fs.setXattr("/f", "user.a", fs.chunk("v", 5), XattrMode.SET)),
            fs -> fs.set("/f", UID, 0, 1, 0, 0),
            "/f owner=1:8 ctime=now xattrs=user.a=v:5"),
        row(
            "chmod keeps file capabilities",
            fs ->
                fs.file("/f")
                    .did(fs.setXattr("/f", CAPABILITY, fs.chunk("cap", 20), XattrMode.SET)),
            fs -> fs.set("/f", MODE, 0600, 0, 0, 0),
            "/f mode=600 ctime=now"),
        row(
            "chown with a mode: the mode is the last word",
            fs -> fs.file("/f", 06755),
            fs -> fs.set("/f", UID | MODE, 04711, 1, 0, 0),
            "/f mode=4711 owner=1:8 ctime=now"),
        row(
            "privileges are taken away without a new owner",
            fs -> fs.file("/f", 06755),
            fs -> fs.set("/f", KILL_PRIVILEGES, 0, 1, 2, 3),
            "/f mode=755 ctime=now"),
        row(
            "utimensat with a time",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MTIME, 0, 0, 0, 123),
            "/f mtime=123 ctime=now"),
        row(
            "utimensat with a time before 1970",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MTIME, 0, 0, 0, -5),
            "/f mtime=-5 ctime=now"),
        row(
            "utimensat with UTIME_NOW is the commit time",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MTIME_NOW, 0, 0, 0, 123),
            "/f mtime=now ctime=now"),
        row(
            "UTIME_NOW wins",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", MTIME_NOW | MTIME, 0, 0, 0, 123),
            "/f mtime=now ctime=now"),
        row(
            "nothing to set is still a change",
            fs -> fs.file("/f"),
            fs -> fs.set("/f", 0, 0600, 1, 2, 3),
            "/f ctime=now"));
  }

  static Stream<OpRow> xattrs() {
    return Stream.of(
        row(
            "the first",
            fs -> fs.file("/f"),
            fs -> fs.setXattr("/f", "user.a", fs.chunk("v", 5), XattrMode.SET),
            "/f ctime=now xattrs=user.a=v:5"),
        row(
            "another, in the order of names",
            AttributeOpsTest::withAttribute,
            fs -> fs.setXattr("/f", "user.A", fs.chunk("w", 1), XattrMode.SET),
            "/f ctime=now xattrs=user.A=w:1,user.a=v:5"),
        row(
            "a new value",
            AttributeOpsTest::withAttribute,
            fs -> fs.setXattr("/f", "user.a", fs.chunk("w", 6), XattrMode.SET),
            "/f ctime=now xattrs=user.a=w:6"),
        row(
            "an empty value",
            AttributeOpsTest::withAttribute,
            fs -> fs.setXattr("/f", "user.a", ChunkRef.EMPTY, XattrMode.SET),
            "/f ctime=now xattrs=user.a=nothing:0"),
        row(
            "the largest value",
            fs -> fs.file("/f"),
            fs -> fs.setXattr("/f", "user.a", fs.chunk("v", 65536), XattrMode.SET),
            "/f ctime=now xattrs=user.a=v:65536"),
        row(
            "created",
            fs -> fs.file("/f"),
            fs -> fs.setXattr("/f", "user.a", fs.chunk("v", 5), XattrMode.CREATE),
            "/f ctime=now xattrs=user.a=v:5"),
        row(
            "created twice",
            AttributeOpsTest::withAttribute,
            fs -> fs.setXattr("/f", "user.a", fs.chunk("v", 5), XattrMode.CREATE),
            "EEXIST"),
        row(
            "replaced",
            AttributeOpsTest::withAttribute,
            fs -> fs.setXattr("/f", "user.a", fs.chunk("w", 6), XattrMode.REPLACE),
            "/f ctime=now xattrs=user.a=w:6"),
        row(
            "replaced without being there",
            AttributeOpsTest::withAttribute,
            fs -> fs.setXattr("/f", "user.b", fs.chunk("w", 6), XattrMode.REPLACE),
            "ENODATA"),
        row(
            "of a directory",
            fs -> {},
            fs -> fs.setXattr("/", "user.a", fs.chunk("v", 5), XattrMode.SET),
            "/ ctime=now xattrs=user.a=v:5"),
        row(
            "of a symlink",
            fs -> fs.link("/l", "x"),
            fs -> fs.setXattr("/l", "trusted.a", fs.chunk("v", 5), XattrMode.SET),
            "/l ctime=now xattrs=trusted.a=v:5"),
        row(
            "of an orphan that is still open",
            fs -> fs.orphan("@f"),
            fs -> fs.setXattr("@f", "user.a", fs.chunk("v", 5), XattrMode.SET),
            "#2 ctime=now xattrs=user.a=v:5"),
        row(
            "of nothing",
            fs -> {},
            fs -> fs.setXattr("@nowhere", "user.a", fs.chunk("v", 5), XattrMode.SET),
            "ENOENT"),
        row(
            "the last byte of 1 MiB in all",
            fs -> almostFull(fs, 1),
            fs -> fs.setXattr("/f", "u", ChunkRef.EMPTY, XattrMode.SET),
            "/f ctime=now xattrs=u=nothing:0," + ALMOST_FULL + "65423"),
        row(
            "one byte past 1 MiB in all",
            fs -> almostFull(fs, 1),
            fs -> fs.setXattr("/f", "u", fs.chunk("v", 1), XattrMode.SET),
            "ENOSPC"),
        row(
            "a name past 1 MiB in all",
            fs -> almostFull(fs, 0),
            fs -> fs.setXattr("/f", "u", ChunkRef.EMPTY, XattrMode.SET),
            "ENOSPC"),
        row(
            "a smaller value where all is full",
            fs -> almostFull(fs, 0),
            fs -> fs.setXattr("/f", "user.15", fs.chunk("w", 1), XattrMode.SET),
            "/f ctime=now xattrs=" + ALMOST_FULL.replace("15=v:", "15=w:1")),
        row(
            "removed",
            AttributeOpsTest::withAttribute,
            fs -> fs.removeXattr("/f", "user.a"),
            "/f ctime=now xattrs="),
        row(
            "removed without being there",
            AttributeOpsTest::withAttribute,
            fs -> fs.removeXattr("/f", "user.b"),
            "ENODATA"),
        row("removed of nothing", fs -> {}, fs -> fs.removeXattr("@nowhere", "a"), "ENOENT"));
  }

  /** Fifteen values of maximum length and a part of the sixteenth. */
  private static final String ALMOST_FULL =
      "user.00=v:65536,user.01=v:65536,user.02=v:65536,user.03=v:65536,user.04=v:65536,"
          + "user.05=v:65536,user.06=v:65536,user.07=v:65536,user.08=v:65536,user.09=v:65536,"
          + "user.10=v:65536,user.11=v:65536,user.12=v:65536,user.13=v:65536,user.14=v:65536,"
          + "user.15=v:";

  @ParameterizedTest(name = "{0}")
  @MethodSource("attributes")
  void setsAttributes(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "xattr {0}")
  @MethodSource("xattrs")
  void setsExtendedAttributes(OpRow row) {
    row.check();
  }

  private static void withAttribute(Scenario fs) {
    fs.file("/f").did(fs.setXattr("/f", "user.a", fs.chunk("v", 5), XattrMode.SET));
  }

  /** 16 names of 7 bytes, and values that leave {@code room} bytes of 1 MiB. */
  private static void almostFull(Scenario fs, int room) {
    fs.file("/f");
    for (int i = 0; i < 16; i++) {
      int length = i < 15 ? 65536 : 65536 - 16 * 7 - room;
      String name = "user." + (i < 10 ? "0" : "") + i;
      fs.did(fs.setXattr("/f", name, fs.chunk("v", length), XattrMode.SET));
    }
  }
}

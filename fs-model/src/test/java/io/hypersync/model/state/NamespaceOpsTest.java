package io.hypersync.model.state;

import static io.hypersync.model.state.OpRow.row;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.Name;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ops that add or remove a name (hypersync.md 6.1, 7.2). */
class NamespaceOpsTest {
  private static final String PARENT_CHANGED = "/ mtime=now ctime=now";

  static Stream<OpRow> creations() {
    return Stream.of(
        row(
            "create",
            fs -> {},
            fs -> fs.create("/f", 0644),
            PARENT_CHANGED,
            "+/f file 644 7:8 nlink=1 ino=2"),
        row(
            "create keeps the set-id bits asked for",
            fs -> {},
            fs -> fs.create("/f", 06755),
            PARENT_CHANGED,
            "+/f file 6755 7:8 nlink=1 ino=2"),
        row(
            "create in a subdirectory leaves the root alone",
            fs -> fs.dir("/d"),
            fs -> fs.create("/d/f", 0600),
            "/d mtime=now ctime=now",
            "+/d/f file 600 7:8 nlink=1 ino=3"),
        row("create over a file", fs -> fs.file("/f"), fs -> fs.create("/f", 0644), "EEXIST"),
        row("create over a directory", fs -> fs.dir("/f"), fs -> fs.create("/f", 0644), "EEXIST"),
        row(
            "create over a dangling symlink",
            fs -> fs.link("/f", "nothing"),
            fs -> fs.create("/f", 0644),
            "EEXIST"),
        row(
            "create beside a name of other case",
            fs -> fs.file("/f"),
            fs -> fs.create("/F", 0644),
            PARENT_CHANGED,
            "+/F file 644 7:8 nlink=1 ino=3"),
        row("create in a file", fs -> fs.file("/f"), fs -> fs.create("/f/x", 0644), "ENOTDIR"),
        row(
            "create in a symlink to a directory",
            fs -> fs.dir("/d").link("/l", "d").remember("@l", "/l"),
            fs -> fs.create("@l/x", 0644),
            "ENOTDIR"),
        row("create in no directory", fs -> {}, fs -> fs.create("@nowhere/x", 0644), "ENOENT"),
        row(
            "create in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.create("@d/x", 0644),
            "ENOENT"),
        row(
            "an inode number is not used again",
            fs -> fs.orphan("@f").did(fs.reap("@f")),
            fs -> fs.create("/f", 0644),
            PARENT_CHANGED,
            "+/f file 644 7:8 nlink=1 ino=3"),
        row(
            "mkdir counts as a link of its parent",
            fs -> {},
            fs -> fs.mkdir("/d", 01777),
            "/ nlink=3 mtime=now ctime=now",
            "+/d directory 1777 7:8 nlink=2 ino=2"),
        row("mkdir over a directory", fs -> fs.dir("/d"), fs -> fs.mkdir("/d", 0755), "EEXIST"),
        row("mkdir over a file", fs -> fs.file("/d"), fs -> fs.mkdir("/d", 0755), "EEXIST"),
        row("mkdir in a file", fs -> fs.file("/f"), fs -> fs.mkdir("/f/d", 0755), "ENOTDIR"),
        row("mkdir in no directory", fs -> {}, fs -> fs.mkdir("@nowhere/d", 0755), "ENOENT"),
        row(
            "mkdir in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.mkdir("@d/x", 0755),
            "ENOENT"),
        row(
            "a symlink's target is opaque and its size",
            fs -> {},
            fs -> fs.symlink("/l", "../x//y/./"),
            PARENT_CHANGED,
            "+/l symlink 777 7:8 nlink=1 ino=2 size=10 content=../x//y/./"),
        row("symlink over a file", fs -> fs.file("/l"), fs -> fs.symlink("/l", "x"), "EEXIST"),
        row("symlink in a file", fs -> fs.file("/f"), fs -> fs.symlink("/f/l", "x"), "ENOTDIR"),
        row(
            "symlink in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.symlink("@d/x", "y"),
            "ENOENT"),
        row(
            "mknod of a regular file",
            fs -> {},
            fs -> fs.mknod("/n", NodeType.FILE, 0640, 5),
            PARENT_CHANGED,
            "+/n file 640 7:8 nlink=1 ino=2"),
        row(
            "mknod of a FIFO has no device number",
            fs -> {},
            fs -> fs.mknod("/n", NodeType.FIFO, 0640, 5),
            PARENT_CHANGED,
            "+/n fifo 640 7:8 nlink=1 ino=2"),
        row(
            "mknod of a socket",
            fs -> {},
            fs -> fs.mknod("/n", NodeType.SOCKET, 0640, 0),
            PARENT_CHANGED,
            "+/n socket 640 7:8 nlink=1 ino=2"),
        row(
            "mknod of a character device",
            fs -> {},
            fs -> fs.mknod("/n", NodeType.CHARACTER_DEVICE, 0666, 259),
            PARENT_CHANGED,
            "+/n character_device 666 7:8 nlink=1 ino=2 rdev=259"),
        row(
            "mknod of a block device",
            fs -> {},
            fs -> fs.mknod("/n", NodeType.BLOCK_DEVICE, 0660, 2049),
            PARENT_CHANGED,
            "+/n block_device 660 7:8 nlink=1 ino=2 rdev=2049"),
        row(
            "mknod over a name",
            fs -> fs.dir("/n"),
            fs -> fs.mknod("/n", NodeType.FIFO, 0640, 0),
            "EEXIST"),
        row(
            "mknod in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.mknod("@d/x", NodeType.FIFO, 0640, 0),
            "ENOENT"));
  }

  static Stream<OpRow> creationsInASetGroupIdDirectory() {
    return Stream.of(
        row(
            "a file gets the group",
            NamespaceOpsTest::setGroupIdDirectory,
            fs -> fs.create("/d/x", 0644),
            "/d mtime=now ctime=now",
            "+/d/x file 644 7:55 nlink=1 ino=3"),
        row(
            "a directory gets the group and the bit",
            NamespaceOpsTest::setGroupIdDirectory,
            fs -> fs.mkdir("/d/x", 0755),
            "/d nlink=3 mtime=now ctime=now",
            "+/d/x directory 2755 7:55 nlink=2 ino=3"),
        row(
            "a symlink gets the group",
            NamespaceOpsTest::setGroupIdDirectory,
            fs -> fs.symlink("/d/x", "y"),
            "/d mtime=now ctime=now",
            "+/d/x symlink 777 7:55 nlink=1 ino=3 size=1 content=y"),
        row(
            "a FIFO gets the group",
            NamespaceOpsTest::setGroupIdDirectory,
            fs -> fs.mknod("/d/x", NodeType.FIFO, 0600, 0),
            "/d mtime=now ctime=now",
            "+/d/x fifo 600 7:55 nlink=1 ino=3"));
  }

  static Stream<OpRow> links() {
    return Stream.of(
        row(
            "link",
            fs -> fs.file("/f"),
            fs -> fs.hardLink("/f", "/g"),
            PARENT_CHANGED,
            "/f nlink=2 ctime=now",
            "+/g file 644 7:8 nlink=2 ino=2 mtime=1 btime=1"),
        row(
            "link of a symlink",
            fs -> fs.link("/l", "x"),
            fs -> fs.hardLink("/l", "/m"),
            PARENT_CHANGED,
            "/l nlink=2 ctime=now",
            "+/m symlink 777 7:8 nlink=2 ino=2 size=1 mtime=1 btime=1 content=x"),
        row(
            "link of a FIFO into another directory",
            fs -> fs.dir("/d").special("/p", NodeType.FIFO, 0600),
            fs -> fs.hardLink("/p", "/d/p"),
            "/d mtime=now ctime=now",
            "+/d/p fifo 600 7:8 nlink=2 ino=3 mtime=1 btime=1",
            "/p nlink=2 ctime=now"),
        row("link of a directory", fs -> fs.dir("/d"), fs -> fs.hardLink("/d", "/e"), "EPERM"),
        row(
            "link over a name",
            fs -> fs.file("/f").file("/g"),
            fs -> fs.hardLink("/f", "/g"),
            "EEXIST"),
        row("link over itself", fs -> fs.file("/f"), fs -> fs.hardLink("/f", "/f"), "EEXIST"),
        row(
            "link of a directory over a name",
            fs -> fs.dir("/d").file("/f"),
            fs -> fs.hardLink("/d", "/f"),
            "EEXIST"),
        row("link of nothing", fs -> {}, fs -> fs.hardLink("@nowhere", "/g"), "ENOENT"),
        row(
            "link of an orphan cannot bring it back",
            fs -> fs.orphan("@f"),
            fs -> fs.hardLink("@f", "/f"),
            "ENOENT"),
        row(
            "link of an orphan over a name",
            fs -> fs.orphan("@f").file("/f"),
            fs -> fs.hardLink("@f", "/f"),
            "EEXIST"),
        row("link into a file", fs -> fs.file("/f"), fs -> fs.hardLink("/f", "/f/g"), "ENOTDIR"),
        row(
            "link into a removed directory",
            fs -> fs.file("/f").removedDir("@d"),
            fs -> fs.hardLink("/f", "@d/g"),
            "ENOENT"));
  }

  static Stream<OpRow> removals() {
    return Stream.of(
        row(
            "unlink of the only name makes an orphan",
            fs -> fs.file("/f"),
            fs -> fs.unlink("/f"),
            "+#2 file 644 7:8 nlink=0 ino=2 mtime=1 btime=1",
            PARENT_CHANGED,
            "-/f"),
        row(
            "unlink keeps the bytes for those who have it open",
            fs -> fs.file("/f").did(fs.write("/f", 0, fs.chunk("a", 10))),
            fs -> fs.unlink("/f"),
            "+#2 file 644 7:8 nlink=0 ino=2 size=10 mtime=1 btime=1 content=0+10:a@0",
            PARENT_CHANGED,
            "-/f"),
        row(
            "unlink of one name of two",
            fs -> fs.file("/f").did(fs.hardLink("/f", "/g")),
            fs -> fs.unlink("/g"),
            PARENT_CHANGED,
            "/f nlink=1 ctime=now",
            "-/g"),
        row(
            "unlink of a symlink leaves its target",
            fs -> fs.file("/f").link("/l", "f"),
            fs -> fs.unlink("/l"),
            "+#3 symlink 777 7:8 nlink=0 ino=3 size=1 mtime=1 btime=1 content=f",
            PARENT_CHANGED,
            "-/l"),
        row("unlink of a directory", fs -> fs.dir("/d"), fs -> fs.unlink("/d"), "EISDIR"),
        row("unlink of nothing", fs -> {}, fs -> fs.unlink("/f"), "ENOENT"),
        row("unlink in a file", fs -> fs.file("/f"), fs -> fs.unlink("/f/x"), "ENOTDIR"),
        row("unlink in no directory", fs -> {}, fs -> fs.unlink("@nowhere/x"), "ENOENT"),
        row(
            "unlink in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.unlink("@d/x"),
            "ENOENT"),
        row(
            "rmdir",
            fs -> fs.dir("/d"),
            fs -> fs.rmdir("/d"),
            "+#2 directory 755 7:8 nlink=0 ino=2 mtime=1 btime=1",
            "/ nlink=2 mtime=now ctime=now",
            "-/d"),
        row(
            "rmdir of one that was emptied",
            fs -> fs.dir("/d").file("/d/f").did(fs.unlink("/d/f")),
            fs -> fs.rmdir("/d"),
            "+#2 directory 755 7:8 nlink=0 ino=2 mtime=1 btime=1",
            "/ nlink=2 mtime=now ctime=now",
            "-/d"),
        row(
            "rmdir with a file inside",
            fs -> fs.dir("/d").file("/d/f"),
            fs -> fs.rmdir("/d"),
            "ENOTEMPTY"),
        row(
            "rmdir with a directory inside",
            fs -> fs.dir("/d").dir("/d/e"),
            fs -> fs.rmdir("/d"),
            "ENOTEMPTY"),
        row("rmdir of a file", fs -> fs.file("/f"), fs -> fs.rmdir("/f"), "ENOTDIR"),
        row(
            "rmdir of a symlink to a directory",
            fs -> fs.dir("/d").link("/l", "d"),
            fs -> fs.rmdir("/l"),
            "ENOTDIR"),
        row("rmdir of nothing", fs -> {}, fs -> fs.rmdir("/d"), "ENOENT"),
        row("rmdir in a file", fs -> fs.file("/f"), fs -> fs.rmdir("/f/d"), "ENOTDIR"),
        row(
            "rmdir in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.rmdir("@d/x"),
            "ENOENT"));
  }

  static Stream<OpRow> reaping() {
    return Stream.of(
        row("reap an orphan", fs -> fs.orphan("@f"), fs -> fs.reap("@f"), "-#2"),
        row("reap a removed directory", fs -> fs.removedDir("@d"), fs -> fs.reap("@d"), "-#2"),
        row(
            "reap some of them",
            fs -> fs.orphan("@f").orphan("@g").orphan("@h"),
            fs -> fs.reap("@f", "@h"),
            "-#2",
            "-#4"),
        row("reap none", fs -> fs.orphan("@f"), fs -> fs.reap(), ""),
        row(
            "reap what still has a name: all or nothing",
            fs -> fs.orphan("@f").file("/g"),
            fs -> fs.reap("@f", "/g"),
            "EINVAL"),
        row("reap twice", fs -> fs.orphan("@f"), fs -> fs.reap("@f", "@f"), "EINVAL"),
        row("reap the unknown", fs -> {}, fs -> fs.reap("@nowhere"), "EINVAL"),
        row("reap the root", fs -> {}, fs -> fs.reap("/"), "EINVAL"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"creations", "creationsInASetGroupIdDirectory", "links", "removals", "reaping"})
  void everyOpHasItsOutcome(OpRow row) {
    row.check();
  }

  @Test
  void aFileHasAtMost65000Names() {
    Scenario fs = new Scenario().file("/f");
    FsOp.Link link = (FsOp.Link) fs.hardLink("/f", "/g");
    for (int i = 2; i <= 65_000; i++) {
      fs.did(new FsOp.Link(link.node(), FsState.ROOT, Name.of("name " + i)));
    }
    assertEquals("EMLINK", fs.outcome(link));
    fs.did(fs.unlink("/f"));
    assertEquals(65_000, fs.did(link).state().nodes().last().attributes().nlink());
  }

  @Test
  void aDirectoryHasAnyNumberOfSubdirectories() {
    Scenario fs = new Scenario();
    for (int i = 0; i < 65_100; i++) {
      fs.did(fs.mkdir("/d" + i, 0755));
    }
    Node root = fs.state().node(FsState.ROOT);
    assertEquals(65_102, root == null ? 0 : root.attributes().nlink());
  }

  private static void setGroupIdDirectory(Scenario fs) {
    fs.dir("/d", 02775).did(fs.set("/d", FsOp.SetAttributes.GID, 0, 0, 55, 0));
  }
}

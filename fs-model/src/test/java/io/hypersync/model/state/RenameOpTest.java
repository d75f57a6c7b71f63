package io.hypersync.model.state;

import static io.hypersync.model.op.RenameMode.EXCHANGE;
import static io.hypersync.model.op.RenameMode.NO_REPLACE;
import static io.hypersync.model.op.RenameMode.REPLACE;
import static io.hypersync.model.state.OpRow.row;

import io.hypersync.model.op.NodeType;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** rename and renameat2 (hypersync.md 5.2(3), 6.1, 6.1.1). */
class RenameOpTest {
  static Stream<OpRow> moves() {
    return Stream.of(
        row(
            "a file within a directory",
            fs -> fs.file("/a"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "/ mtime=now ctime=now",
            "-/a",
            "+/b file 644 7:8 nlink=1 ino=2 mtime=1 btime=1"),
        row(
            "a file into another directory",
            fs -> fs.dir("/p").dir("/q").file("/p/a"),
            fs -> fs.rename("/p/a", "/q/b", REPLACE),
            "/p mtime=now ctime=now",
            "-/p/a",
            "/q mtime=now ctime=now",
            "+/q/b file 644 7:8 nlink=1 ino=4 mtime=1 btime=1"),
        row(
            "a directory within its parent",
            fs -> fs.dir("/a"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "/ mtime=now ctime=now",
            "-/a",
            "+/b directory 755 7:8 nlink=2 ino=2 mtime=1 btime=1"),
        row(
            "a directory into another moves a link and its children",
            fs -> fs.dir("/p").dir("/q").dir("/p/d").file("/p/d/f"),
            fs -> fs.rename("/p/d", "/q/d", REPLACE),
            "/p nlink=2 mtime=now ctime=now",
            "-/p/d",
            "-/p/d/f",
            "/q nlink=3 mtime=now ctime=now",
            "+/q/d directory 755 7:8 nlink=2 ino=4 mtime=1 btime=1",
            "+/q/d/f file 644 7:8 nlink=1 ino=5 mtime=1 ctime=1 btime=1"),
        row(
            "a directory up",
            fs -> fs.dir("/p").dir("/p/d"),
            fs -> fs.rename("/p/d", "/d", REPLACE),
            "/ nlink=4 mtime=now ctime=now",
            "+/d directory 755 7:8 nlink=2 ino=3 mtime=1 btime=1",
            "/p nlink=2 mtime=now ctime=now",
            "-/p/d"),
        row(
            "a directory down into its sibling",
            fs -> fs.dir("/p").dir("/d"),
            fs -> fs.rename("/d", "/p/d", REPLACE),
            "/ nlink=3 mtime=now ctime=now",
            "-/d",
            "/p nlink=3 mtime=now ctime=now",
            "+/p/d directory 755 7:8 nlink=2 ino=3 mtime=1 btime=1"),
        row(
            "a symlink, not what it points to",
            fs -> fs.file("/f").link("/l", "f"),
            fs -> fs.rename("/l", "/m", REPLACE),
            "/ mtime=now ctime=now",
            "-/l",
            "+/m symlink 777 7:8 nlink=1 ino=3 size=1 mtime=1 btime=1 content=f"),
        row(
            "one name of two",
            fs -> fs.file("/a").did(fs.hardLink("/a", "/b")),
            fs -> fs.rename("/a", "/c", REPLACE),
            "/ mtime=now ctime=now",
            "-/a",
            "/b ctime=now",
            "+/c file 644 7:8 nlink=2 ino=2 mtime=1 btime=1"),
        row(
            "a set-group-id directory does not take over what is moved in",
            fs -> fs.dir("/d", 02755).did(fs.set("/d", 4, 0, 0, 55, 0)).file("/a"),
            fs -> fs.rename("/a", "/d/a", REPLACE),
            "/ mtime=now ctime=now",
            "-/a",
            "/d mtime=now ctime=now",
            "+/d/a file 644 7:8 nlink=1 ino=3 mtime=1 btime=1"),
        row(
            "to a free name, no replace",
            fs -> fs.dir("/a").file("/a/f"),
            fs -> fs.rename("/a/f", "/f", NO_REPLACE),
            "/ mtime=now ctime=now",
            "/a mtime=now ctime=now",
            "-/a/f",
            "+/f file 644 7:8 nlink=1 ino=3 mtime=1 btime=1"));
  }

  static Stream<OpRow> replacements() {
    return Stream.of(
        row(
            "a file by a file",
            fs -> fs.file("/a").file("/b"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "+#3 file 644 7:8 nlink=0 ino=3 mtime=1 btime=1",
            "/ mtime=now ctime=now",
            "-/a",
            "/b ino=2 ctime=now"),
        row(
            "a file that has another name",
            fs -> fs.file("/a").file("/b").did(fs.hardLink("/b", "/c")),
            fs -> fs.rename("/a", "/b", REPLACE),
            "/ mtime=now ctime=now",
            "-/a",
            "/b nlink=1 ino=2 ctime=now",
            "/c nlink=1 ctime=now"),
        row(
            "a file by a symlink",
            fs -> fs.link("/a", "x").file("/b"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "+#3 file 644 7:8 nlink=0 ino=3 mtime=1 btime=1",
            "/ mtime=now ctime=now",
            "-/a",
            "/b type=symlink mode=777 ino=2 size=1 ctime=now content=x"),
        row(
            "a symlink to a directory by a FIFO",
            fs -> fs.dir("/d").special("/a", NodeType.FIFO, 0644).link("/b", "d"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "+#4 symlink 777 7:8 nlink=0 ino=4 size=1 mtime=1 btime=1 content=d",
            "/ mtime=now ctime=now",
            "-/a",
            "/b type=fifo mode=644 ino=3 size= ctime=now content="),
        row(
            "an empty directory by a directory",
            fs -> fs.dir("/a").file("/a/f").dir("/b"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "+#4 directory 755 7:8 nlink=0 ino=4 mtime=1 btime=1",
            "/ nlink=3 mtime=now ctime=now",
            "-/a",
            "-/a/f",
            "/b ino=2 ctime=now",
            "+/b/f file 644 7:8 nlink=1 ino=3 mtime=1 ctime=1 btime=1"),
        row(
            "an empty directory elsewhere by a directory",
            fs -> fs.dir("/p").dir("/q").dir("/p/a").dir("/q/b"),
            fs -> fs.rename("/p/a", "/q/b", REPLACE),
            "+#5 directory 755 7:8 nlink=0 ino=5 mtime=1 btime=1",
            "/p nlink=2 mtime=now ctime=now",
            "-/p/a",
            "/q mtime=now ctime=now",
            "/q/b ino=4 ctime=now"),
        row(
            "a directory that is not empty",
            fs -> fs.dir("/a").dir("/b").file("/b/f"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "ENOTEMPTY"),
        row(
            "a file by a directory",
            fs -> fs.dir("/a").file("/b"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "ENOTDIR"),
        row(
            "a symlink to a directory by a directory",
            fs -> fs.dir("/a").dir("/d").link("/b", "d"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "ENOTDIR"),
        row(
            "an empty directory by a file",
            fs -> fs.file("/a").dir("/b"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "EISDIR"),
        row(
            "a full directory by a file",
            fs -> fs.file("/a").dir("/b").file("/b/f"),
            fs -> fs.rename("/a", "/b", REPLACE),
            "EISDIR"),
        row(
            "the parent by the child",
            fs -> fs.dir("/a").dir("/a/b"),
            fs -> fs.rename("/a/b", "/a", REPLACE),
            "ENOTEMPTY"),
        row(
            "the grandparent by a file",
            fs -> fs.dir("/a").dir("/a/b").file("/a/b/f"),
            fs -> fs.rename("/a/b/f", "/a", REPLACE),
            "ENOTEMPTY"),
        row(
            "a name by itself: nothing happens",
            fs -> fs.file("/a"),
            fs -> fs.rename("/a", "/a", REPLACE),
            ""),
        row(
            "a directory by itself: nothing happens",
            fs -> fs.dir("/a").file("/a/f"),
            fs -> fs.rename("/a", "/a", REPLACE),
            ""),
        row(
            "one name of a file by another: nothing happens",
            fs -> fs.dir("/d").file("/a").did(fs.hardLink("/a", "/d/b")),
            fs -> fs.rename("/a", "/d/b", REPLACE),
            ""));
  }

  static Stream<OpRow> refusals() {
    return Stream.of(
        row("of nothing", fs -> {}, fs -> fs.rename("/a", "/b", REPLACE), "ENOENT"),
        row(
            "of nothing over something",
            fs -> fs.file("/b"),
            fs -> fs.rename("/a", "/b", NO_REPLACE),
            "ENOENT"),
        row("from a file", fs -> fs.file("/f"), fs -> fs.rename("/f/a", "/b", REPLACE), "ENOTDIR"),
        row(
            "into a file",
            fs -> fs.file("/f").file("/a"),
            fs -> fs.rename("/a", "/f/b", REPLACE),
            "ENOTDIR"),
        row("from no directory", fs -> {}, fs -> fs.rename("@nowhere/a", "/b", REPLACE), "ENOENT"),
        row(
            "into no directory",
            fs -> fs.file("/a"),
            fs -> fs.rename("/a", "@nowhere/b", REPLACE),
            "ENOENT"),
        row(
            "into a removed directory",
            fs -> fs.file("/a").removedDir("@d"),
            fs -> fs.rename("/a", "@d/a", REPLACE),
            "ENOENT"),
        row(
            "from a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> fs.rename("@d/a", "/a", REPLACE),
            "ENOENT"),
        row(
            "of a directory into itself",
            fs -> fs.dir("/a"),
            fs -> fs.rename("/a", "/a/b", REPLACE),
            "EINVAL"),
        row(
            "of a directory into its descendant",
            fs -> fs.dir("/a").dir("/a/b").dir("/a/b/c"),
            fs -> fs.rename("/a", "/a/b/c/d", REPLACE),
            "EINVAL"),
        row(
            "of a directory over its descendant",
            fs -> fs.dir("/a").dir("/a/b").dir("/a/b/c"),
            fs -> fs.rename("/a", "/a/b/c", REPLACE),
            "EINVAL"),
        row(
            "over a name, no replace",
            fs -> fs.file("/a").file("/b"),
            fs -> fs.rename("/a", "/b", NO_REPLACE),
            "EEXIST"),
        row(
            "over itself, no replace",
            fs -> fs.file("/a"),
            fs -> fs.rename("/a", "/a", NO_REPLACE),
            "EEXIST"),
        row(
            "over another name of the file, no replace",
            fs -> fs.file("/a").did(fs.hardLink("/a", "/b")),
            fs -> fs.rename("/a", "/b", NO_REPLACE),
            "EEXIST"),
        row(
            "over its descendant, no replace: a taken name is the first thing seen",
            fs -> fs.dir("/a").dir("/a/b"),
            fs -> fs.rename("/a", "/a/b", NO_REPLACE),
            "EEXIST"),
        row(
            "over its ancestor, no replace",
            fs -> fs.dir("/a").dir("/a/b").file("/a/b/f"),
            fs -> fs.rename("/a/b/f", "/a", NO_REPLACE),
            "EEXIST"),
        row(
            "into its descendant, no replace",
            fs -> fs.dir("/a").dir("/a/b"),
            fs -> fs.rename("/a", "/a/b/c", NO_REPLACE),
            "EINVAL"));
  }

  static Stream<OpRow> exchanges() {
    return Stream.of(
        row(
            "two files of a directory",
            fs -> fs.file("/a").file("/b"),
            fs -> fs.rename("/a", "/b", EXCHANGE),
            "/ mtime=now ctime=now",
            "/a ino=3 ctime=now",
            "/b ino=2 ctime=now"),
        row(
            "a file and a directory of one parent",
            fs -> fs.file("/a").dir("/b"),
            fs -> fs.rename("/a", "/b", EXCHANGE),
            "/ mtime=now ctime=now",
            "/a type=directory mode=755 nlink=2 ino=3 ctime=now",
            "/b type=file mode=644 nlink=1 ino=2 ctime=now"),
        row(
            "a file and a directory of two parents: a link moves",
            fs -> fs.dir("/p").dir("/q").file("/p/a").dir("/q/b").file("/q/b/f"),
            fs -> fs.rename("/p/a", "/q/b", EXCHANGE),
            "/p nlink=3 mtime=now ctime=now",
            "/p/a type=directory mode=755 nlink=2 ino=5 ctime=now",
            "+/p/a/f file 644 7:8 nlink=1 ino=6 mtime=1 ctime=1 btime=1",
            "/q nlink=2 mtime=now ctime=now",
            "/q/b type=file mode=644 nlink=1 ino=4 ctime=now",
            "-/q/b/f"),
        row(
            "two directories of two parents",
            fs -> fs.dir("/p").dir("/q").dir("/p/a").dir("/q/b").file("/q/b/f"),
            fs -> fs.rename("/p/a", "/q/b", EXCHANGE),
            "/p mtime=now ctime=now",
            "/p/a ino=5 ctime=now",
            "+/p/a/f file 644 7:8 nlink=1 ino=6 mtime=1 ctime=1 btime=1",
            "/q mtime=now ctime=now",
            "/q/b ino=4 ctime=now",
            "-/q/b/f"),
        row(
            "two names of one file: nothing happens",
            fs -> fs.file("/a").did(fs.hardLink("/a", "/b")),
            fs -> fs.rename("/a", "/b", EXCHANGE),
            ""),
        row(
            "a name with itself: nothing happens",
            fs -> fs.dir("/a"),
            fs -> fs.rename("/a", "/a", EXCHANGE),
            ""),
        row("with nothing", fs -> fs.file("/a"), fs -> fs.rename("/a", "/b", EXCHANGE), "ENOENT"),
        row("of nothing", fs -> fs.file("/b"), fs -> fs.rename("/a", "/b", EXCHANGE), "ENOENT"),
        row(
            "of a directory with nothing in its descendant",
            fs -> fs.dir("/a").dir("/a/b"),
            fs -> fs.rename("/a", "/a/b/c", EXCHANGE),
            "ENOENT"),
        row(
            "of a directory with its descendant",
            fs -> fs.dir("/a").dir("/a/b").file("/a/b/f"),
            fs -> fs.rename("/a", "/a/b/f", EXCHANGE),
            "EINVAL"),
        row(
            "of a file with its ancestor",
            fs -> fs.dir("/a").dir("/a/b").file("/a/b/f"),
            fs -> fs.rename("/a/b/f", "/a", EXCHANGE),
            "EINVAL"),
        row(
            "in a removed directory",
            fs -> fs.file("/a").removedDir("@d"),
            fs -> fs.rename("/a", "@d/a", EXCHANGE),
            "ENOENT"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("moves")
  void moves(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("replacements")
  void replaces(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusals")
  void refuses(OpRow row) {
    row.check();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("exchanges")
  void exchanges(OpRow row) {
    row.check();
  }
}

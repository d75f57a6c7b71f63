package io.hypersync.model.state;

import static io.hypersync.model.state.OpRow.row;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** O_TMPFILE: a file without a name, and its first name. */
class TemporaryOpsTest {
  static Stream<OpRow> rows() {
    return Stream.of(
        row(
            "made, and no directory changes",
            fs -> fs.dir("/d"),
            fs -> temporary(fs, "/d"),
            "+#3 file 600 7:8 nlink=0 ino=3"),
        row(
            "in a set-group-id directory",
            fs -> fs.did(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 02775, 1, 99)),
            fs -> temporary(fs, "/d"),
            "+#3 file 600 7:99 nlink=0 ino=3"),
        row("in a file", fs -> fs.file("/f"), fs -> temporary(fs, "/f"), "ENOTDIR"),
        row(
            "in a removed directory",
            fs -> fs.removedDir("@d"),
            fs -> temporary(fs, "@d"),
            "ENOENT"),
        row("nowhere", fs -> {}, fs -> temporary(fs, "@nowhere"), "ENOENT"),
        row(
            "gets its first name",
            fs -> fs.dir("/d").orphan("@f"),
            fs -> name(fs, "@f", "/d", "first"),
            "-#3",
            "/d mtime=now ctime=now",
            "+/d/first file 644 7:8 nlink=1 ino=3 mtime=1 btime=1"),
        row(
            "a name that is taken",
            fs -> fs.file("/first").orphan("@f"),
            fs -> name(fs, "@f", "/", "first"),
            "EEXIST"),
        row("of a directory", fs -> fs.removedDir("@d"), fs -> name(fs, "@d", "/", "x"), "EPERM"),
        row(
            "in a removed directory",
            fs -> fs.removedDir("@d").orphan("@f"),
            fs -> name(fs, "@f", "@d", "x"),
            "ENOENT"),
        row("of nothing", fs -> {}, fs -> name(fs, "@nowhere", "/", "x"), "ENOENT"),
        row(
            "an ordinary link of it",
            fs -> fs.orphan("@f"),
            fs -> new FsOp.Link(fs.at("@f"), FsState.ROOT, Name.of("x")),
            "ENOENT"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void follows(OpRow row) {
    row.check();
  }

  private static FsOp temporary(Scenario fs, String directory) {
    return new FsOp.MakeTemporary(fs.at(directory), 0600, Scenario.UID, Scenario.GID);
  }

  private static FsOp name(Scenario fs, String node, String directory, String name) {
    NodeId parent = fs.at(directory);
    return new FsOp.LinkTemporary(fs.at(node), parent, Name.of(name));
  }
}

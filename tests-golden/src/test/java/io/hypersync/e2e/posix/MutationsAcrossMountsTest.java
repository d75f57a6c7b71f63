package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every mutation of hypersync.md 6.1: made on one mount, visible on the other. */
@RealMounts
class MutationsAcrossMountsTest {
  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  /** One directory of the workspace, through either mount. */
  record Pair(Path a, Path b) {
    /** Waits until B gives this answer. */
    <T> void seenOnB(String what, T expected, OnB<T> question) throws Exception {
      Await.same("on B: " + what, expected, () -> question.ask(b));
    }
  }

  /** A question to B's mount. */
  @FunctionalInterface
  interface OnB<T> {
    T ask(Path b) throws Exception;
  }

  @FunctionalInterface
  interface Row {
    /** Makes the calls on A, and checks their effects on B. */
    void check(Pair pair) throws Exception;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void madeOnASeenOnB(Row row) throws Exception {
    Path onA = Files.createTempDirectory(CLUSTER.mount("a"), "row-");
    Path onB = CLUSTER.mount("b").resolve(onA.getFileName());
    Await.until("the row's folder on B", () -> Files.isDirectory(onB));
    row.check(new Pair(onA, onB));
    CLUSTER.get().assertSameRoots("a", "b");
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row("create", MutationsAcrossMountsTest::create),
        row("mkdir, rmdir", MutationsAcrossMountsTest::makeAndRemoveDirectory),
        row("write, then pwrite beyond the end: a hole", MutationsAcrossMountsTest::writes),
        row("append", MutationsAcrossMountsTest::append),
        row("truncate and ftruncate", MutationsAcrossMountsTest::truncates),
        row("open with O_TRUNC", MutationsAcrossMountsTest::openTruncates),
        row("rename", MutationsAcrossMountsTest::renames),
        row("rename replaces", MutationsAcrossMountsTest::renameReplaces),
        row("rename of a directory with content", MutationsAcrossMountsTest::renamesDirectory),
        row("unlink", MutationsAcrossMountsTest::unlinks),
        row("chmod, also the special bits", MutationsAcrossMountsTest::changesMode),
        row("chown", MutationsAcrossMountsTest::changesOwner),
        row("utimensat, to the nanosecond", MutationsAcrossMountsTest::setsTimes),
        row("link", MutationsAcrossMountsTest::links),
        row("symlink, also a dangling one", MutationsAcrossMountsTest::symlinks),
        row("setxattr, removexattr", MutationsAcrossMountsTest::xattrs),
        row("xattr of 64 KiB, and one byte more", MutationsAcrossMountsTest::xattrLimits),
        row("fsync, fdatasync, fsync of a directory", MutationsAcrossMountsTest::syncs),
        row("mkfifo", MutationsAcrossMountsTest::makesFifo),
        row("atomic replace: B reads the old or the new", MutationsAcrossMountsTest::replaces),
        row("readdir in order of bytes", MutationsAcrossMountsTest::listsInOrderOfBytes),
        row("statfs", MutationsAcrossMountsTest::statfs),
        row("st_ino, nlink and times are the same", MutationsAcrossMountsTest::sameStat),
        row("unlink while open on A", pair -> unlinkWhileOpen(pair.a(), pair.a())),
        row("unlink on B while open on A", pair -> unlinkWhileOpen(pair.a(), pair.b())),
        row("read-only mmap", MutationsAcrossMountsTest::mapsReadOnly),
        row("MAP_PRIVATE, writable", MutationsAcrossMountsTest::mapsPrivately),
        row("MAP_SHARED, writable: refused", MutationsAcrossMountsTest::refusesSharedMap),
        row("names of 255 bytes, of any bytes", MutationsAcrossMountsTest::longNames));
  }

  private static Arguments row(String name, Row row) {
    return arguments(Named.of(name, row));
  }

  private static void create(Pair pair) throws Exception {
    Files.createFile(
        pair.a.resolve("f"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
    pair.seenOnB("size", 0L, b -> Files.size(b.resolve("f")));
    assertEquals(
        "rw-r-----",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(pair.b.resolve("f"))));
    assertEquals("EEXIST", Errnos.of(() -> Files.createFile(pair.b.resolve("f"))), "O_EXCL on B");
  }

  private static void makeAndRemoveDirectory(Pair pair) throws Exception {
    Files.createDirectories(pair.a.resolve("d/e"));
    pair.seenOnB("d/e", true, b -> Files.isDirectory(b.resolve("d/e")));
    assertEquals(3, Files.getAttribute(pair.b.resolve("d"), "unix:nlink"), "links of d");
    Files.delete(pair.a.resolve("d/e"));
    pair.seenOnB("d/e", false, b -> Files.exists(b.resolve("d/e")));
    pair.seenOnB("links of d", 2, b -> (Integer) Files.getAttribute(b.resolve("d"), "unix:nlink"));
    Files.delete(pair.b.resolve("d"));
    Await.same("d on A", false, () -> Files.exists(pair.a.resolve("d")));
  }

  private static void writes(Pair pair) throws Exception {
    try (FileChannel file = open(pair.a.resolve("f"))) {
      file.write(bytes("hello"));
      pair.seenOnB("after write", "hello", b -> text(b.resolve("f")));
      file.write(bytes("J"), 0);
      pair.seenOnB("after pwrite", "Jello", b -> text(b.resolve("f")));
      file.write(bytes("!"), 100_000);
      pair.seenOnB("after pwrite beyond the end", 100_001L, b -> Files.size(b.resolve("f")));
    }
    byte[] expected = new byte[100_001];
    System.arraycopy("Jello".getBytes(StandardCharsets.US_ASCII), 0, expected, 0, 5);
    expected[100_000] = '!';
    assertArrayEquals(expected, Files.readAllBytes(pair.b.resolve("f")), "the hole reads as zeros");
  }

  private static void append(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "one\n");
    pair.seenOnB("one", "one\n", b -> text(b.resolve("f")));
    Files.writeString(pair.b.resolve("f"), "two\n", StandardOpenOption.APPEND);
    Files.writeString(pair.a.resolve("f"), "three\n", StandardOpenOption.APPEND);
    pair.seenOnB("all three", "one\ntwo\nthree\n", b -> text(b.resolve("f")));
  }

  private static void truncates(Pair pair) throws Exception {
    Path f = pair.a.resolve("f");
    Files.writeString(f, "0123456789");
    try (FileChannel file = FileChannel.open(f, StandardOpenOption.WRITE)) {
      file.truncate(4);
    }
    pair.seenOnB("ftruncate", "0123", b -> text(b.resolve("f")));
    Shell.must(pair.a, "truncate", "-s", "6", "f");
    pair.seenOnB("longer", "0123\0\0", b -> text(b.resolve("f")));
    Shell.must(pair.a, "truncate", "-s", "0", "f");
    pair.seenOnB("to nothing", "", b -> text(b.resolve("f")));
  }

  private static void openTruncates(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "before");
    pair.seenOnB("before", "before", b -> text(b.resolve("f")));
    try (FileChannel _ =
        FileChannel.open(
            pair.a.resolve("f"), StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      pair.seenOnB("at the open already", "", b -> text(b.resolve("f")));
    }
  }

  private static void renames(Pair pair) throws Exception {
    Files.createDirectory(pair.a.resolve("d"));
    Files.writeString(pair.a.resolve("f"), "text");
    Object inode = Files.getAttribute(pair.a.resolve("f"), "unix:ino");
    Files.move(pair.a.resolve("f"), pair.a.resolve("d/g"));
    pair.seenOnB("the new name", "text", b -> text(b.resolve("d/g")));
    assertFalse(Files.exists(pair.b.resolve("f")), "the old name on B");
    assertEquals(inode, Files.getAttribute(pair.b.resolve("d/g"), "unix:ino"), "st_ino");
  }

  private static void renameReplaces(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("old"), "old");
    Files.writeString(pair.a.resolve("new"), "new");
    pair.seenOnB("before", "old", b -> text(b.resolve("old")));
    Shell.must(pair.a, "mv", "-f", "new", "old");
    pair.seenOnB("after", "new", b -> text(b.resolve("old")));
    assertFalse(Files.exists(pair.b.resolve("new")), "the old name on B");
    Files.createDirectory(pair.a.resolve("d1"));
    Files.createDirectory(pair.a.resolve("d2"));
    Shell.must(pair.a, "mv", "-T", "d1", "d2");
    pair.seenOnB("a directory over an empty one", List.of("d2", "old"), Directories::names);
  }

  private static void renamesDirectory(Pair pair) throws Exception {
    Files.createDirectories(pair.a.resolve("d/e"));
    Files.writeString(pair.a.resolve("d/e/f"), "deep");
    pair.seenOnB("before", "deep", b -> text(b.resolve("d/e/f")));
    Files.move(pair.a.resolve("d"), pair.a.resolve("x"));
    pair.seenOnB("after", "deep", b -> text(b.resolve("x/e/f")));
    assertFalse(Files.exists(pair.b.resolve("d/e/f")), "the old path on B");
  }

  private static void unlinks(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "text");
    pair.seenOnB("before", "text", b -> text(b.resolve("f")));
    Files.delete(pair.a.resolve("f"));
    pair.seenOnB("after", false, b -> Files.exists(b.resolve("f")));
    assertEquals("ENOENT", Errnos.of(() -> Files.size(pair.b.resolve("f"))));
  }

  private static void changesMode(Pair pair) throws Exception {
    Path f = Files.createFile(pair.a.resolve("f"));
    for (int mode : new int[] {0, 0644, 07777, 0600}) {
      Files.setAttribute(f, "unix:mode", mode);
      pair.seenOnB(
          "mode", 0100000 | mode, b -> (Integer) Files.getAttribute(b.resolve("f"), "unix:mode"));
    }
  }

  private static void changesOwner(Pair pair) throws Exception {
    Path f = Files.createFile(pair.a.resolve("f"));
    Shell.must(pair.a, "chown", "12345:54321", "f");
    pair.seenOnB("uid", 12345, b -> (Integer) Files.getAttribute(b.resolve("f"), "unix:uid"));
    pair.seenOnB("gid", 54321, b -> (Integer) Files.getAttribute(b.resolve("f"), "unix:gid"));
    Files.setAttribute(f, "unix:mode", 06755);
    Shell.must(pair.a, "chown", "1", "f");
    pair.seenOnB(
        "mode after chown: no set-id bits",
        0100755,
        b -> (Integer) Files.getAttribute(b.resolve("f"), "unix:mode"));
  }

  private static void setsTimes(Pair pair) throws Exception {
    Path f = Files.createFile(pair.a.resolve("f"));
    FileTime mtime = FileTime.from(Instant.parse("2001-02-03T04:05:06.123456789Z"));
    Files.setLastModifiedTime(f, mtime);
    pair.seenOnB("mtime", mtime, b -> Files.getLastModifiedTime(b.resolve("f")));
    // The JDK would round times before 1970.
    for (String time :
        List.of(
            "1969-12-31T23:59:59.999999999Z",
            "1901-01-01T00:00:00.000000001Z",
            "2011-12-13T14:15:16.000000017Z",
            "2106-02-07T06:28:16.5Z")) {
      Shell.must(pair.a, "touch", "-m", "-d", time, "f");
      pair.seenOnB(
          "mtime after touch",
          FileTime.from(Instant.parse(time)),
          b -> Files.getLastModifiedTime(b.resolve("f")));
    }
  }

  private static void links(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "text");
    Files.createLink(pair.a.resolve("g"), pair.a.resolve("f"));
    pair.seenOnB("links", 2, b -> (Integer) Files.getAttribute(b.resolve("f"), "unix:nlink"));
    assertEquals(
        Files.getAttribute(pair.b.resolve("f"), "unix:ino"),
        Files.getAttribute(pair.b.resolve("g"), "unix:ino"));
    Files.writeString(pair.b.resolve("g"), "both");
    Await.same("through the other name", "both", () -> text(pair.a.resolve("f")));
    Files.delete(pair.a.resolve("f"));
    pair.seenOnB("one left", 1, b -> (Integer) Files.getAttribute(b.resolve("g"), "unix:nlink"));
    assertEquals("both", text(pair.b.resolve("g")));
  }

  private static void symlinks(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "text");
    for (String target : List.of("f", "./no/../such//place", "/etc/hostname", "x".repeat(4095))) {
      Path link = pair.a.resolve("link" + target.length());
      Shell.must(pair.a, "ln", "-s", target, link.toString());
      pair.seenOnB(
          "target", target, b -> Shell.must(b, "readlink", "-n", link.getFileName().toString()));
    }
    assertEquals("text", text(pair.b.resolve("link1")), "followed on B");
  }

  private static void xattrs(Pair pair) throws Exception {
    Files.createFile(pair.a.resolve("f"));
    xattr(pair.a.resolve("f")).write("colour", bytes("green"));
    xattr(pair.a.resolve("f")).write("empty", bytes(""));
    pair.seenOnB(
        "names",
        List.of("colour", "empty"),
        b -> xattr(b.resolve("f")).list().stream().sorted().toList());
    assertEquals("green", value(pair.b.resolve("f"), "colour"));
    xattr(pair.a.resolve("f")).write("colour", bytes("blue"));
    pair.seenOnB("a new value", "blue", b -> value(b.resolve("f"), "colour"));
    xattr(pair.a.resolve("f")).delete("colour");
    pair.seenOnB("names", List.of("empty"), b -> xattr(b.resolve("f")).list());
    assertEquals("ENODATA", Errnos.of(() -> xattr(pair.b.resolve("f")).size("colour")));
  }

  private static void xattrLimits(Pair pair) throws Exception {
    Files.createFile(pair.a.resolve("f"));
    String large = "v".repeat(65536);
    xattr(pair.a.resolve("f")).write("large", bytes(large));
    pair.seenOnB("value", large, b -> value(b.resolve("f"), "large"));
    String errno = Errnos.of(() -> xattr(pair.a.resolve("f")).write("larger", bytes(large + "v")));
    assertTrue(List.of("E2BIG", "ENOSPC").contains(errno), errno);
  }

  private static void syncs(Pair pair) throws Exception {
    try (FileChannel file = open(pair.a.resolve("tmp"))) {
      file.write(bytes("safe"));
      file.force(true);
      file.force(false);
    }
    Files.move(pair.a.resolve("tmp"), pair.a.resolve("f"));
    try (FileChannel directory = FileChannel.open(pair.a, StandardOpenOption.READ)) {
      directory.force(true);
    }
    pair.seenOnB("content", "safe", b -> text(b.resolve("f")));
  }

  private static void makesFifo(Pair pair) throws Exception {
    Shell.must(pair.a, "mkfifo", "-m", "600", "p");
    pair.seenOnB(
        "type and mode", 0010600, b -> (Integer) Files.getAttribute(b.resolve("p"), "unix:mode"));
  }

  /**
   * Each version consists of repetitions of its number, so a read that mixes versions is detected.
   */
  private static void replaces(Pair pair) throws Exception {
    Path target = pair.a.resolve("f");
    Files.writeString(target, version(0));
    pair.seenOnB("the first version", version(0), b -> text(b.resolve("f")));
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int i = 1; i <= 50; i++) {
                      Files.writeString(pair.a.resolve("tmp"), version(i));
                      Directories.replace(pair.a.resolve("tmp"), target);
                    }
                  } catch (IOException failure) {
                    throw new java.io.UncheckedIOException(failure);
                  }
                });
    int newest = 0;
    while (writer.isAlive()) {
      String seen = text(pair.b.resolve("f"));
      int number = Integer.parseInt(seen.substring(0, seen.indexOf(' ')));
      assertEquals(version(number), seen, "half of one version and half of another");
      assertTrue(number >= newest, "from version " + newest + " back to " + number);
      newest = number;
    }
    pair.seenOnB("the last version", version(50), b -> text(b.resolve("f")));
  }

  private static String version(int number) {
    return (number + " ").repeat(20_000);
  }

  private static void listsInOrderOfBytes(Pair pair) throws Exception {
    List<String> inOrder =
        List.of("A", "B", "Z", "a", "a b", "a.", "aa", "b", "z", "\u00e9", "\u65e5");
    for (String name : inOrder.reversed()) {
      Files.createFile(pair.a.resolve(name));
    }
    pair.seenOnB("names", inOrder, Directories::names);
    assertEquals(inOrder, Directories.names(pair.a), "on A");
  }

  private static void statfs(Pair pair) throws Exception {
    for (Path side : List.of(pair.a, pair.b)) {
      assertTrue(Files.getFileStore(side).getTotalSpace() > 0, "total space");
      assertTrue(Files.getFileStore(side).getUsableSpace() > 0, "usable space");
      assertEquals("255", Shell.must(side, "stat", "-f", "-c", "%l", ".").strip(), "name length");
    }
  }

  private static void sameStat(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "text");
    Files.createDirectory(pair.a.resolve("d"));
    Files.createSymbolicLink(pair.a.resolve("s"), Path.of("f"));
    for (String name : List.of(".", "f", "d", "s")) {
      String[] command = {"stat", "-c", "%i %h %f %s %u %g %y %z %b %B", name};
      pair.seenOnB("stat of " + name, Shell.must(pair.a, command), b -> Shell.must(b, command));
    }
    assertNotEquals(
        Files.getAttribute(pair.a.resolve("f"), "unix:ino"),
        Files.getAttribute(pair.a.resolve("d"), "unix:ino"));
  }

  private static void unlinkWhileOpen(Path opened, Path unlinked) throws Exception {
    Files.writeString(opened.resolve("f"), "still here");
    try (FileChannel file =
        FileChannel.open(opened.resolve("f"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      Await.until("f where it is unlinked", () -> Files.exists(unlinked.resolve("f")));
      Files.delete(unlinked.resolve("f"));
      Await.until("f is gone where it is open", () -> Files.notExists(opened.resolve("f")));
      assertEquals(10, file.size());
      file.write(bytes("S"), 0);
      file.write(bytes("!"), 10);
      ByteBuffer content = ByteBuffer.allocate(100);
      file.read(content, 0);
      assertEquals("Still here!", StandardCharsets.UTF_8.decode(content.flip()).toString());
      file.truncate(5);
      assertEquals(5, file.size());
      file.force(true);
    }
  }

  private static void mapsReadOnly(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "mapped");
    pair.seenOnB("content", "mapped", b -> text(b.resolve("f")));
    assertEquals("mapped", mapped(pair.b.resolve("f")));
    Files.writeString(pair.a.resolve("f"), "again!");
    Await.same("mapped anew, after a write on A", "again!", () -> mapped(pair.b.resolve("f")));
  }

  /** The file is mapped until the arena ends; a buffer would have it open until a collection. */
  private static String mapped(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment map = file.map(MapMode.READ_ONLY, 0, file.size(), arena);
      return StandardCharsets.UTF_8.decode(map.asByteBuffer()).toString();
    }
  }

  private static void mapsPrivately(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "common");
    try (FileChannel file =
            FileChannel.open(
                pair.a.resolve("f"), StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      ByteBuffer map = file.map(MapMode.PRIVATE, 0, 6, arena).asByteBuffer();
      map.put(0, (byte) 'C');
      assertEquals("Common", StandardCharsets.UTF_8.decode(map).toString());
    }
    assertEquals("common", text(pair.a.resolve("f")), "the file itself");
    pair.seenOnB("the file itself", "common", b -> text(b.resolve("f")));
  }

  private static void refusesSharedMap(Pair pair) throws Exception {
    Files.writeString(pair.a.resolve("f"), "common");
    try (FileChannel file =
        FileChannel.open(pair.a.resolve("f"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      assertEquals("ENODEV", Errnos.of(() -> file.map(MapMode.READ_WRITE, 0, 6)));
    }
  }

  private static void longNames(Pair pair) throws Exception {
    String longest = "n".repeat(255);
    Files.writeString(pair.a.resolve(longest), "long");
    pair.seenOnB("of 255 bytes", "long", b -> text(b.resolve(longest)));
    Files.delete(pair.a.resolve(longest));
    String accented = "\u00e9".repeat(127) + "x";
    Files.writeString(pair.a.resolve(accented), "accents");
    pair.seenOnB("of 255 bytes in 128 characters", "accents", b -> text(b.resolve(accented)));
    Path tooLong = pair.a.resolve(longest + "n");
    assertEquals("ENAMETOOLONG", Errnos.of(() -> Files.createFile(tooLong)), "create");
    assertEquals("ENAMETOOLONG", Errnos.of(() -> Files.createDirectory(tooLong)), "mkdir");
    assertEquals("ENAMETOOLONG", Errnos.of(() -> Files.size(tooLong)), "stat");
    Shell.must(pair.a, "sh", "-ec", "printf raw > \"$(printf 'not\\377utf8\\nline')\"");
    pair.seenOnB("bytes that are no text", "raw", b -> Shell.must(b, "sh", "-ec", "cat not*line"));
  }

  private static FileChannel open(Path path) throws IOException {
    return FileChannel.open(
        path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static String text(Path path) throws IOException {
    return Files.readString(path, StandardCharsets.UTF_8);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static UserDefinedFileAttributeView xattr(Path path) {
    return Files.getFileAttributeView(
        path, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static String value(Path path, String name) throws IOException {
    ByteBuffer value = ByteBuffer.allocate(xattr(path).size(name));
    xattr(path).read(name, value);
    return StandardCharsets.UTF_8.decode(value.flip()).toString();
  }
}

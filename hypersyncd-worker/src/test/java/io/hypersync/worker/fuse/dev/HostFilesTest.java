package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** System calls on files of this host: what a user puts into a folder does not lead out of it. */
class HostFilesTest {
  @TempDir Path folder;
  @TempDir Path outside;
  private int root = -1;
  private final List<Integer> opened = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    root = HostFiles.openDirectory(folder);
    Files.writeString(outside.resolve("secret"), "secret");
  }

  @AfterEach
  void close() {
    opened.forEach(HostFiles::close);
    HostFiles.close(root);
  }

  private int keep(int fd) {
    opened.add(fd);
    return fd;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void fails(Errno errno, Executable call) {
    assertEquals(errno, assertThrows(HostCallFailed.class, call).errno());
  }

  @Test
  void noPathLeadsOut() throws Exception {
    Files.createSymbolicLink(folder.resolve("link"), outside);
    Files.createSymbolicLink(folder.resolve("own"), Path.of("."));
    Files.createDirectory(folder.resolve("d"));
    fails(Errno.ELOOP, () -> HostFiles.openBelow(root, bytes("link/secret")));
    fails(Errno.ELOOP, () -> HostFiles.openBelow(root, bytes("own/d")));
    fails(Errno.EXDEV, () -> HostFiles.openBelow(root, bytes("../" + outside.getFileName())));
    fails(Errno.EXDEV, () -> HostFiles.openBelow(root, bytes("d/../../x")));
    fails(Errno.EXDEV, () -> HostFiles.openBelow(root, bytes(outside.toString())));
    fails(Errno.ELOOP, () -> HostFiles.open(root, bytes("link"), HostFiles.O_RDONLY, 0));
  }

  @Test
  void aLinkItselfIsReached() throws Exception {
    Files.createSymbolicLink(folder.resolve("link"), outside.resolve("secret"));
    int fd = keep(HostFiles.openBelow(root, bytes("link")));
    assertEquals(
        outside.resolve("secret").toString(),
        new String(HostFiles.readLink(fd), StandardCharsets.UTF_8));
    HostFiles.setOwner(fd, 12, 34);
    HostFiles.setTimes(fd, HostFiles.KEEP, 5_000_000_007L);
    HostStat stat = HostFiles.stat(fd);
    assertEquals(12, stat.uid());
    assertEquals(34, stat.gid());
    assertEquals(5_000_000_007L, stat.mtimeNs());
    assertEquals(0, Files.getAttribute(outside.resolve("secret"), "unix:uid"), "not its target");
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    int fd = keep(HostFiles.open(root, bytes("f"), HostFiles.O_CREAT_EXCL | Syscalls.O_RDWR, 0600));
    byte[] data = new byte[300_000];
    java.util.Arrays.fill(data, (byte) 7);
    assertEquals(data.length, HostFiles.write(fd, 5, data));
    byte[] read = HostFiles.read(fd, 0, 400_000);
    assertEquals(data.length + 5, read.length, "up to the end");
    assertEquals(0, read[4]);
    assertEquals(7, read[5]);
    assertEquals(data.length + 5, HostFiles.stat(fd).size());
    HostFiles.setMode(fd, 04711);
    assertEquals(0104711, HostFiles.stat(fd).mode());
    fails(Errno.EEXIST, () -> HostFiles.open(root, bytes("f"), HostFiles.O_CREAT_EXCL, 0600));
  }

  @Test
  void namesOfManyBytesAreListed() throws Exception {
    Set<String> made = new TreeSet<>();
    for (int i = 0; i < 600; i++) {
      String name = i + "-" + "x".repeat(200);
      Files.createFile(folder.resolve(name));
      made.add(name);
    }
    int fd = keep(HostFiles.reopen(root, HostFiles.O_DIRECTORY));
    Set<String> found = new TreeSet<>();
    List<HostFiles.Row> rows = HostFiles.list(fd, 0);
    while (!rows.isEmpty()) {
      rows.forEach(row -> found.add(new String(row.name(), StandardCharsets.UTF_8)));
      rows = HostFiles.list(fd, rows.getLast().next());
    }
    assertTrue(found.removeAll(List.of(".", "..")));
    assertEquals(made, found);
  }

  @Test
  void attributesAreKept() throws Exception {
    Files.createFile(folder.resolve("f"));
    int fd = keep(HostFiles.openBelow(root, bytes("f")));
    HostFiles.setAttribute(fd, bytes("user.a"), bytes("value"), 0);
    assertArrayEquals(bytes("value"), HostFiles.attribute(fd, bytes("user.a"), 100));
    assertArrayEquals(bytes("user.a\0"), HostFiles.attributes(fd, 100));
    fails(Errno.ERANGE, () -> HostFiles.attribute(fd, bytes("user.a"), 2));
    HostFiles.removeAttribute(fd, bytes("user.a"));
    fails(Errno.ENODATA, () -> HostFiles.attribute(fd, bytes("user.a"), 100));
  }

  @Test
  void aFileWithoutANameGetsOne() throws Exception {
    int fd = keep(HostFiles.makeUnnamed(root, Syscalls.O_RDWR, 0600));
    assertEquals(3, HostFiles.write(fd, 0, bytes("abc")));
    HostFiles.link(fd, root, bytes("named"));
    assertEquals("abc", Files.readString(folder.resolve("named")));
  }

  @Test
  void aNameThatIsTooLongIsRefusedHere() {
    fails(
        Errno.ENAMETOOLONG,
        () -> HostFiles.stat(root, bytes("x".repeat(HostFiles.MAX_PATH_BYTES))));
    fails(Errno.ENAMETOOLONG, () -> HostFiles.stat(root, bytes("x".repeat(256))));
  }
}

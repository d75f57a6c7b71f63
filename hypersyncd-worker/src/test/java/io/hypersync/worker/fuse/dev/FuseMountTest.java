package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Real mounts without a daemon that answers. Needs root and /dev/fuse. */
@Timeout(30)
@Tag("mount")
class FuseMountTest {
  private static final FuseMountOptions OPTIONS = FuseMountOptions.workspace("test");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path temp;

  private Path point;

  @BeforeEach
  void makeMountPoint() throws IOException {
    point = Files.createDirectory(temp.toRealPath().resolve("mnt"));
  }

  @AfterEach
  void unmountWhateverIsLeft() throws IOException {
    while (MountTable.read().at(point.toString()).isPresent()) {
      FuseMount.unmount(point);
    }
  }

  @Test
  void aMountIsShownWithItsTypeAndSource() throws IOException {
    try (FuseMount mount =
        FuseMount.mount(
            point,
            new FuseMountOptions("team", true, true, OptionalInt.of(131072), true, true, true))) {
      assertEquals(point, mount.mountPoint());
      assertEquals(
          "fuse.hypersync (team)", MountTable.read().at(point.toString()).orElseThrow().describe());
      String line =
          Files.readAllLines(Path.of("/proc/self/mounts")).stream()
              .filter(row -> row.contains(" " + point + " "))
              .findFirst()
              .orElseThrow();
      for (String option :
          new String[] {
            "ro", "nosuid", "nodev", "default_permissions", "allow_other", "max_read=131072"
          }) {
        assertTrue(line.contains(option), option + " in " + line);
      }
    }
    assertTrue(MountTable.read().at(point.toString()).isEmpty(), "gone after close");
  }

  @Test
  void aMountPointMustExist() {
    assertProblem(Errno.ENOENT, point.resolve("missing"), "does not exist");
    assertProblem(Errno.ENOENT, point.resolve("missing/deeper"), "does not exist");
  }

  @Test
  void aMountPointMustBeADirectory() throws IOException {
    Path file = Files.createFile(point.resolve("file"));
    assertProblem(Errno.ENOTDIR, file, "not a directory");
    assertProblem(Errno.ENOTDIR, file.resolve("below"), "not a directory");
  }

  @Test
  void aMountPointMustBeEmpty() throws IOException {
    Files.createFile(point.resolve("precious"));
    assertProblem(Errno.ENOTEMPTY, point, "precious");
  }

  @Test
  void aMountPointMayBeReachedThroughALink() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), point);
    try (FuseMount mount = FuseMount.mount(link, OPTIONS)) {
      assertEquals(point, mount.mountPoint());
    }
  }

  @Test
  void aDeadMountIsNamedWithTheCommandThatRemovesIt() throws IOException {
    FuseMount mount = FuseMount.mount(point, OPTIONS);
    mount.openChannels(1, 2 << 20).getFirst().close();
    assertProblem(Errno.ENOTCONN, point, "`hypersync umount " + point + "`");
    assertProblem(Errno.ENOTCONN, point.resolve("sub"), "`hypersync umount " + point + "`");
    FuseMount.unmount(point);
    try (FuseMount again = FuseMount.mount(point, OPTIONS)) {
      assertEquals(point, again.mountPoint());
    }
  }

  @Test
  void unmountingWhatIsNotMountedSaysSo() {
    MountException problem = assertThrows(MountException.class, () -> FuseMount.unmount(point));
    assertEquals(Errno.EINVAL, problem.errno());
  }

  @Test
  void clonedChannelsHaveDescriptorsOfTheirOwn() throws IOException {
    long before = fuseDescriptors();
    FuseMount mount = FuseMount.mount(point, OPTIONS);
    var channels = mount.openChannels(4, 2 << 20);
    assertEquals(4, channels.size());
    assertEquals(before + 4, fuseDescriptors());
    mount.close();
    channels.forEach(KernelChannel::close);
    assertEquals(before, fuseDescriptors());
  }

  @Test
  void optionsAreChecked() {
    assertThrows(IllegalArgumentException.class, () -> FuseMountOptions.workspace(""));
    assertThrows(IllegalArgumentException.class, () -> FuseMountOptions.workspace("a\0b"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new FuseMountOptions("a", true, true, OptionalInt.of(512), false, false, false));
  }

  private static long fuseDescriptors() throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .filter(
              fd -> {
                try {
                  return Files.readSymbolicLink(fd).toString().equals("/dev/fuse");
                } catch (IOException e) {
                  return false; // closed in the meantime
                }
              })
          .count();
    }
  }

  private static void assertProblem(Errno errno, Path where, String says) {
    MountException problem =
        assertThrows(MountException.class, () -> FuseMount.mount(where, OPTIONS));
    assertEquals(errno, problem.errno(), problem::getMessage);
    assertTrue(String.valueOf(problem.getMessage()).contains(says), problem::getMessage);
  }
}

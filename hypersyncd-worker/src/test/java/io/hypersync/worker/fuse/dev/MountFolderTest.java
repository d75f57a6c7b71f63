package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A mount folder before, during and after a mount. Needs root and /dev/fuse. */
@Timeout(60)
@Tag("mount")
class MountFolderTest {
  private static final String SOURCE = "hypersync:0011";
  private static final FuseMountOptions OPTIONS = FuseMountOptions.workspace(SOURCE);

  @TempDir private Path temp;
  private Path point = Path.of("");

  @BeforeEach
  void name() throws IOException {
    point = temp.toRealPath().resolve("ws/team");
  }

  @AfterEach
  void tidy() throws IOException {
    while (MountTable.read().at(point.toString()).isPresent()) {
      FuseMount.unmount(point);
    }
    if (Files.exists(point)) {
      FolderCover.clear(point);
    }
  }

  @Test
  void whatIsNotThereIsMadeLateAndTakenAwayAgain() throws IOException {
    try (MountFolder folder = MountFolder.claim(point, SOURCE)) {
      assertFalse(Files.exists(point), "nobody can write there");
      folder.prepare();
      assertEquals(
          "rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(point)));
      try (FuseMount _ = FuseMount.mount(folder.point(), OPTIONS)) {
        folder.mounted();
      }
    }
    assertFalse(Files.exists(point), "taken away");
    assertTrue(Files.exists(point.getParent()), "others may have something there");
  }

  @Test
  void whatSomebodyFilledMeanwhileStays() throws IOException {
    try (MountFolder folder = MountFolder.claim(point, SOURCE)) {
      folder.prepare();
      Files.writeString(point.resolve("file"), "precious");
    }
    assertEquals("precious", Files.readString(point.resolve("file")));
  }

  @Test
  void aFolderThatWasThereIsCoveredUntilItIsMounted() throws IOException {
    Files.createDirectories(point);
    boolean possible = canBeImmutable(temp);
    MountFolder folder = covered();
    if (possible) {
      assertThrows(IOException.class, () -> Files.createFile(point.resolve("lost")));
    }
    folder.prepare();
    try (FuseMount _ = FuseMount.mount(folder.point(), OPTIONS)) {
      folder.mounted();
    }
    Files.delete(Files.createFile(point.resolve("free")));
    folder.close();
    assertTrue(Files.exists(point), "it was there before");
    Files.delete(point);
  }

  @Test
  void aWorkerThatGivesUpLeavesTheFolderAsItWas() throws IOException {
    Files.createDirectories(point);
    covered().close();
    Files.delete(Files.createFile(point.resolve("free")));
  }

  @Test
  void aCoverThatAKilledWorkerLeftIsInNobodysWay() throws IOException {
    Files.createDirectories(point);
    MountFolder killed = covered();
    try (MountFolder next = covered()) {
      next.prepare();
    }
    Files.delete(Files.createFile(point.resolve("free")));
    killed.close();
    var _ = covered();
    assertEquals(canBeImmutable(temp), FolderCover.clear(point));
    assertFalse(FolderCover.clear(point), "the second time");
    Files.delete(point);
  }

  @Test
  void aFolderThatTheAdministratorHasMadeImmutableStaysSo() throws IOException {
    Files.createDirectories(point);
    int fd = Syscalls.open(point.toString(), Syscalls.O_DIRECTORY);
    int flags = Syscalls.inodeFlags(fd);
    if (flags < 0 || Syscalls.setInodeFlags(fd, flags | Syscalls.FS_IMMUTABLE_FL) < 0) {
      Syscalls.close(fd);
      return; // this filesystem has no immutable directories
    }
    try {
      covered().close();
      assertFalse(FolderCover.clear(point));
      assertThrows(IOException.class, () -> Files.createFile(point.resolve("lost")));
    } finally {
      Syscalls.setInodeFlags(fd, flags);
      Syscalls.close(fd);
    }
  }

  @Test
  void aFolderWithSomethingInItIsRefusedAtOnce() throws IOException {
    Files.createFile(Files.createDirectories(point).resolve("precious"));
    MountException problem = assertThrows(MountException.class, this::claim);
    assertEquals(Errno.ENOTEMPTY, problem.errno());
    Files.createFile(point.resolve("free"));
  }

  @Test
  void aFileInTheWayIsRefusedAtOnce() throws IOException {
    Files.createFile(Files.createDirectories(point.getParent()).resolve("team"));
    assertEquals(Errno.ENOTDIR, assertThrows(MountException.class, this::claim).errno());
    point = point.resolve("below");
    assertEquals(Errno.ENOTDIR, assertThrows(MountException.class, this::claim).errno());
    point = point.getParent().resolveSibling("x");
  }

  @Test
  void aPlaceWhereNothingCanBeMadeIsRefusedAtOnce() {
    point = Path.of("/proc/hypersync/team");
    MountException problem = assertThrows(MountException.class, this::claim);
    assertTrue(
        problem.errno() == Errno.EACCES || problem.errno() == Errno.ENOENT, problem::getMessage);
  }

  @Test
  void aDeadMountOfTheSameWorkspaceCoversTheFolderAndIsReplaced() throws IOException {
    dead(SOURCE);
    try (MountFolder folder = MountFolder.claim(point, SOURCE)) {
      assertEquals(-Errno.ENOTCONN.code(), Syscalls.statNow(point.toString()), "still there");
      folder.prepare();
      assertTrue(MountTable.read().at(point.toString()).isEmpty(), "gone");
      try (FuseMount _ = FuseMount.mount(folder.point(), OPTIONS)) {
        folder.mounted();
      }
    }
  }

  @Test
  void aDeadMountOfAnotherWorkspaceStays() throws IOException {
    dead("hypersync:2233");
    assertEquals(Errno.ENOTCONN, assertThrows(MountException.class, this::claim).errno());
    assertTrue(MountTable.read().at(point.toString()).isPresent());
  }

  @Test
  void whatIsMountedInsideIsFound() {
    MountTable table =
        new MountTable(
            List.of(
                new MountTable.Mount("0:1", point.toString(), FuseMount.TYPE, SOURCE),
                new MountTable.Mount("0:2", point + "/node_modules", "tmpfs", "mask"),
                new MountTable.Mount("0:3", point + "2", "tmpfs", "beside")));
    assertEquals(List.of(point.resolve("node_modules")), table.inside(point));
  }

  @Test
  void aLivingMountStays() throws IOException {
    Files.createDirectories(point);
    try (FuseMount _ = FuseMount.mount(point, OPTIONS)) {
      // The daemon does not answer, but the kernel has not reported it gone: the mount is not dead.
      MountException problem = assertThrows(MountException.class, this::claim);
      assertEquals(Errno.EBUSY, problem.errno(), problem::getMessage);
    }
  }

  private void claim() throws IOException {
    MountFolder.claim(point, SOURCE).close();
  }

  private MountFolder covered() throws IOException {
    MountFolder folder = MountFolder.claim(point, SOURCE);
    folder.cover();
    return folder;
  }

  private void dead(String source) throws IOException {
    Files.createDirectories(point);
    FuseMount mount = FuseMount.mount(point, FuseMountOptions.workspace(source));
    mount.openChannels(1, 2 << 20).getFirst().close();
  }

  /** Whether root can make directories immutable here, and set the attribute. */
  private static boolean canBeImmutable(Path temp) throws IOException {
    Path trial = Files.createDirectories(temp.resolve("trial"));
    try (FolderCover _ = FolderCover.put(trial)) {
      Files.createFile(trial.resolve("file"));
      Files.delete(trial.resolve("file"));
      return false;
    } catch (IOException immutable) {
      return true;
    }
  }
}

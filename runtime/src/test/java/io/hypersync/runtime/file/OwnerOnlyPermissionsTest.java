package io.hypersync.runtime.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which permissions are removed and which stay. */
final class OwnerOnlyPermissionsTest {
  private static final Set<String> NAMES = Set.of("LOCK", "chunks");

  @TempDir private Path temp;
  private Path state = Path.of("");
  private Path outside = Path.of("");

  @BeforeEach
  void make() throws IOException {
    state = Files.createDirectory(temp.resolve("state"));
    outside = file(Files.createDirectory(temp.resolve("outside")).resolve("file"), "rw-rw-rw-");
    file(state.resolve("LOCK"), "rw-r--r--");
    Path deep = Files.createDirectories(state.resolve("chunks/segments"));
    file(deep.resolve("0000000001.chunks"), "rwxr-xrwx");
    mode(deep, "rwxrwxrwx");
    mode(state.resolve("chunks"), "rwxr-xr-x");
    mode(state, "rwxr-xr-x");
    mode(outside.getParent(), "rwxrwxrwx");
  }

  @Test
  void everythingInAStateDirectoryIsClosed() throws IOException {
    assertEquals(5, OwnerOnlyPermissions.repair(state, NAMES));
    assertEquals("rwx------", mode(state));
    assertEquals("rw-------", mode(state.resolve("LOCK")));
    assertEquals("rwx------", mode(state.resolve("chunks")));
    assertEquals("rwx------", mode(state.resolve("chunks/segments")));
    assertEquals("rwx------", mode(state.resolve("chunks/segments/0000000001.chunks")));
    assertEquals(0, OwnerOnlyPermissions.repair(state, NAMES), "the second time");
  }

  @Test
  void whatBelongsToSomebodyElseStaysAsItIs() throws IOException {
    Path theirs = file(state.resolve("notes"), "rw-rw-r--");
    assertEquals(4, OwnerOnlyPermissions.repair(state, NAMES));
    assertEquals("rwxr-xr-x", mode(state), "a folder that is shared");
    assertEquals("rw-rw-r--", mode(theirs));
    assertEquals("rw-------", mode(state.resolve("LOCK")));
  }

  @Test
  void symbolicLinksAreNotFollowed() throws IOException {
    Files.createSymbolicLink(state.resolve("chunks/file"), outside);
    Files.createSymbolicLink(state.resolve("chunks/folder"), outside.getParent());
    Files.delete(state.resolve("LOCK"));
    Files.createSymbolicLink(state.resolve("LOCK"), outside);
    OwnerOnlyPermissions.repair(state, NAMES);
    assertEquals("rw-rw-rw-", mode(outside));
    assertEquals("rwxrwxrwx", mode(outside.getParent()));
  }

  @Test
  void aStateDirectoryMayBeALinkItself() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), state);
    OwnerOnlyPermissions.repair(link, NAMES);
    assertEquals("rwx------", mode(state));
  }

  @Test
  void theWalkIsBounded() throws IOException {
    for (int i = 0; i < 20; i++) {
      file(state.resolve("chunks/" + i), "rw-r--r--");
    }
    assertEquals(1 + 10, OwnerOnlyPermissions.repair(state, NAMES, 10));
  }

  private static Path file(Path file, String permissions) throws IOException {
    Files.writeString(file, "text");
    mode(file, permissions);
    return file;
  }

  private static void mode(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}

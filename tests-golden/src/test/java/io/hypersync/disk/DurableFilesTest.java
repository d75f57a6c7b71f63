package io.hypersync.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@link DurableFiles} does is durable: it survives a power cut after which nothing survives
 * by chance.
 */
@Timeout(60)
@Tag("mount")
class DurableFilesTest {
  private static final Set<PosixFilePermission> SECRET =
      PosixFilePermissions.fromString("rw-------");

  @TempDir Path temp;

  private Path point = Path.of("/");
  private @Nullable PowerLossDisk disk;

  @BeforeEach
  void mount() throws IOException {
    point = Files.createDirectory(temp.toRealPath().resolve("disk"));
    disk = PowerLossDisk.mount(point, Naming.STRICT);
  }

  @AfterEach
  void unmount() throws IOException {
    disk().close();
  }

  @Test
  void aFileIsThereWithTheDirectoriesAboveIt() throws Exception {
    DurableFiles.replace(point.resolve("a/b/file"), "text");
    cut();
    assertEquals("text", Files.readString(point.resolve("a/b/file")));
    assertEquals(List.of("file"), names(point.resolve("a/b")), "nothing temporary");
  }

  @Test
  void aFileIsReplacedAndNobodyElseMayReadIt() throws Exception {
    Path file = point.resolve("key");
    DurableFiles.replace(file, "old", SECRET);
    cut();
    DurableFiles.replace(file, "new", SECRET);
    cut();
    assertEquals("new", Files.readString(file));
    assertEquals(SECRET, Files.getPosixFilePermissions(file));
  }

  /** The directories may have been created by a process that crashed before it synced them. */
  @Test
  void directoriesThatAreThereAlreadyAreMadeDurableToo() throws Exception {
    Files.createDirectories(point.resolve("a/b/c"));
    DurableFiles.createDirectories(point.resolve("a/b/c"));
    cut();
    assertEquals(List.of("c"), names(point.resolve("a/b")));
  }

  private PowerLossDisk disk() {
    return Objects.requireNonNull(disk);
  }

  private void cut() throws IOException, InterruptedException {
    disk().cutPower(new Random(1), 0);
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }
}

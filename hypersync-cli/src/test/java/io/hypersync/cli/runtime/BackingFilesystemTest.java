package io.hypersync.cli.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Filesystems that can and cannot hold a daemon's state. Needs root, to mount. */
@Timeout(60)
final class BackingFilesystemTest {
  @TempDir Path directory;

  /** Whatever filesystem the temporary directory is on: there may be a warning, but no refusal. */
  @Test
  void whereTestsRunStateCanBeKept() throws IOException {
    Path state = directory.resolve("a/state");
    BackingFilesystem.check(state);
    try (Stream<Path> left = Files.list(state)) {
      assertEquals(0, left.count(), "the probe left something behind");
    }
    BackingFilesystem.check(state);
  }

  @Test
  @Tag("mount")
  void memoryIsNoReasonToRefuse() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("tmpfs"));
    mount("-t", "tmpfs", "test", mount.toString());
    try {
      BackingFilesystem.check(mount.resolve("state"));
    } finally {
      run("umount", mount.toString());
    }
  }

  @Test
  @Tag("mount")
  void aDiskThatIsFullIsForTheDaemonToTell() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("full"));
    mount("-t", "tmpfs", "-o", "size=64k,nr_inodes=1", "test", mount.toString());
    try {
      BackingFilesystem.check(mount);
    } finally {
      run("umount", mount.toString());
    }
  }

  @Test
  void whatTheKernelKeepsForItselfIsRefused() {
    for (String path : new String[] {"/proc/hypersync", "/sys/hypersync/state"}) {
      UserError error = assertThrows(UserError.class, () -> BackingFilesystem.check(Path.of(path)));
      assertTrue(error.message().contains(path), error.message());
      assertTrue(error.message().contains("keeps no files"), error.message());
      assertTrue(error.hint().contains("--state-dir"), error.hint());
    }
  }

  private static void mount(String... arguments) throws IOException, InterruptedException {
    run(Stream.concat(Stream.of("mount"), Stream.of(arguments)).toArray(String[]::new));
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertTrue(process.waitFor(20, TimeUnit.SECONDS), command[0]);
    assertEquals(0, process.exitValue(), String.join(" ", command));
  }
}

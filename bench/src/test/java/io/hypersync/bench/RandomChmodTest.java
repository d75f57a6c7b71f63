package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The load that changes permissions")
final class RandomChmodTest {
  private static final int FILES = 100;

  private static RandomChmod chmod(Path folder) {
    return new RandomChmod(number -> folder.resolve("f" + number), FILES);
  }

  private static long changed(Path folder) throws IOException {
    long changed = 0;
    for (int i = 0; i < FILES; i++) {
      String mode =
          PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("f" + i)));
      changed += mode.equals("rwx------") ? 0 : 1;
    }
    return changed;
  }

  private static void fill(Path folder) throws IOException {
    for (int i = 0; i < FILES; i++) {
      Files.setPosixFilePermissions(
          Files.createFile(folder.resolve("f" + i)), PosixFilePermissions.fromString("rwx------"));
    }
  }

  @Test
  @DisplayName("changes as many files as wanted, each once")
  void count(@TempDir Path folder) throws Exception {
    fill(folder);
    chmod(folder).change(25);
    assertEquals(25, changed(folder));
  }

  @Test
  @DisplayName("measures every call for a while")
  void measure(@TempDir Path folder) throws Exception {
    fill(folder);
    assertTrue(chmod(folder).measure(50_000_000).getTotalCount() > 0);
    assertTrue(changed(folder) > 0);
  }

  @Test
  @DisplayName("ends with a failure, and when it is stopped")
  void ends(@TempDir Path folder) throws Exception {
    assertThrows(IOException.class, () -> chmod(folder).change(1));
    RandomChmod stopped = chmod(folder);
    stopped.stop();
    assertThrows(InterruptedException.class, () -> stopped.measure(50_000_000));
  }
}

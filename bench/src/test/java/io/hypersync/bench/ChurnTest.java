package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The load that changes files")
final class ChurnTest {
  private static final long LOOKS = 20;

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  @DisplayName("changes all the time and keeps number and size of the files")
  void sameSize(@TempDir Path folder) throws Exception {
    AtomicLong looks = new AtomicLong();
    Churn churn = new Churn(looks::incrementAndGet, folder.resolve("churn"));
    for (int round = 1; round <= 2; round++) {
      long reached = churn.until(round * LOOKS);
      assertTrue(reached >= round * LOOKS);
      List<Path> files = files(folder);
      assertEquals(Churn.THREADS * Churn.FILES, files.size());
      for (Path file : files) {
        long bytes = Files.size(file);
        assertTrue(bytes >= Churn.FILE_BYTES && bytes <= Churn.LARGEST_BYTES, () -> file + "");
      }
    }
    assertTrue(
        files(folder).stream().anyMatch(ChurnTest::isAppended), "some files have grown by appends");
  }

  private static boolean isAppended(Path file) {
    return file.toFile().length() > Churn.FILE_BYTES;
  }

  @Test
  @DisplayName("ends with the failure of a file")
  void failure(@TempDir Path folder) throws Exception {
    Path notAFolder = Files.createFile(folder.resolve("file"));
    Churn churn = new Churn(() -> 0, notAFolder);
    assertThrows(IOException.class, () -> churn.until(1));
  }

  @Test
  @DisplayName("ends when it is stopped")
  void stopped(@TempDir Path folder) throws Exception {
    Churn churn = new Churn(() -> 0, folder);
    churn.stop();
    assertThrows(InterruptedException.class, () -> churn.until(1));
  }
}

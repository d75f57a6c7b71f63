package io.hypersync.e2e.load;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The control for tests with this load, on an ordinary directory: it notices what is wrong. */
class MortalLoadTest {
  @TempDir Path folder = Path.of("");

  @Test
  void noticesWhatIsMissingOrBackOrChanged() throws Exception {
    try (MortalLoad load = new MortalLoad(List.of(folder), 1, 1)) {
      load.start();
      load.awaitProgress(100);
      load.stop();
      load.check(folder);

      Path file = anyFile();
      byte[] content = Files.readAllBytes(file);
      byte[] changed = content.clone();
      changed[changed.length / 2] ^= 1;
      Files.write(file, changed);
      assertThrows(AssertionError.class, () -> load.check(folder), "a flipped bit");
      Files.delete(file);
      assertThrows(AssertionError.class, () -> load.check(folder), "a file is gone");
      Files.write(file, content);
      load.check(folder);

      Path back = Files.createFile(file.resolveSibling("f100000"));
      assertThrows(AssertionError.class, () -> load.check(folder), "a file is back");
      Files.delete(back);
      load.check(folder);
    }
  }

  @Test
  void aCallThatFailsIsASurpriseOnlyWhileTheWorkerLives() throws Exception {
    try (MortalLoad load = new MortalLoad(List.of(folder), 1, 1)) {
      load.start();
      load.awaitProgress(50);
      load.killed(folder);
      Path there = folder.resolve("writer-0");
      Path aside = folder.resolve("aside");
      Files.move(there, aside); // as an empty mount point
      Thread.sleep(50);
      Files.move(aside, there);
      load.started(folder);
      load.awaitProgress(50);
      load.stop();
      load.check(folder);

      load.start();
      Files.move(there, aside);
      assertThrows(AssertionError.class, () -> load.awaitProgress(1_000_000));
      assertDoesNotThrow(load::stop);
    }
  }

  private Path anyFile() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      Path found =
          all.filter(path -> Files.isRegularFile(path) && path.toFile().length() > 0)
              .findFirst()
              .orElseThrow();
      assertTrue(Files.exists(found));
      return found;
    }
  }
}

package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each job does what its name says, on a folder of the disk. */
class JobRunTest {
  @TempDir Path temp;

  @Test
  void jobsMakeReadAndRemoveWhatTheySay() throws Exception {
    JobMaterial material = JobMaterial.make(Files.createDirectory(temp.resolve("material")));
    Path root = temp.resolve("place");
    JobRun run = new JobRun(new Place(Place.Kind.PLAIN, root), material);
    for (Job job : List.of(Job.CLONE, Job.UNTAR, Job.STATUS, Job.WALK, Job.GREP)) {
      run.time(job);
    }
    assertEquals(5_000, files(root.resolve("clone")));
    assertEquals(10_000, files(root.resolve("untarred")));
    run.time(Job.CLONE);
    assertEquals(5_000, files(root.resolve("clone")), "a second clone replaces the first");
    run.time(Job.REMOVE);
    assertFalse(Files.exists(root.resolve("clone")) || Files.exists(root.resolve("untarred")));
    run.time(Job.LARGE_WRITE);
    assertEquals(256L << 20, Files.size(root.resolve("large")));
    run.time(Job.LARGE_READ_WARM);

    run.stop();
    assertThrows(InterruptedException.class, () -> run.time(Job.CLONE));
  }

  @Test
  void aProgramThatFailsSaysWhy() throws Exception {
    JobMaterial nothing = new JobMaterial(temp.resolve("none"), temp.resolve("none.tar"));
    JobRun run = new JobRun(new Place(Place.Kind.PLAIN, temp.resolve("place")), nothing);
    IOException failure = assertThrows(IOException.class, () -> run.time(Job.CLONE));
    assertTrue(String.valueOf(failure.getMessage()).contains("none"), failure.getMessage());
  }

  private static long files(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      return all.filter(file -> file.toString().endsWith(".txt")).count();
    }
  }
}

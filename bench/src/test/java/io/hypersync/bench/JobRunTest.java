package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each job does what its name says, in a directory on the disk. */
class JobRunTest {
  @TempDir Path temp;

  private final Programs programs = new Programs();

  @Test
  @Tag("slow")
  void jobsMakeReadAndRemoveWhatTheySay() throws Exception {
    JobMaterial material = JobMaterial.make(programs, temp.resolve("material"), 1);
    Path root = temp.resolve("place");
    JobRun run =
        new JobRun(new MeasuredFilesystem(MeasuredFilesystem.Kind.PLAIN, root), material, programs);
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
  }

  @Test
  void whatIsStoppedHasEndedAndNothingBeginsAfterIt() throws Exception {
    Thread stopper =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    Thread.sleep(Duration.ofMillis(300));
                    programs.stop();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    assertThrows(InterruptedException.class, () -> programs.run("sh", "-c", "sleep 4711; true"));
    stopper.join();
    assertEquals(0, ProcessHandle.current().descendants().count(), "processes left");
    assertThrows(InterruptedException.class, () -> programs.run("true"));
    assertThrows(InterruptedException.class, () -> programs.run(() -> {}));
  }

  @Test
  void aProgramThatFailsSaysWhy() throws Exception {
    JobMaterial nothing = new JobMaterial(temp.resolve("none"), temp.resolve("none.tar"));
    JobRun run =
        new JobRun(
            new MeasuredFilesystem(MeasuredFilesystem.Kind.PLAIN, temp.resolve("place")),
            nothing,
            programs);
    IOException failure = assertThrows(IOException.class, () -> run.time(Job.CLONE));
    assertTrue(String.valueOf(failure.getMessage()).contains("none"), failure.getMessage());
  }

  private static long files(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      return all.filter(file -> file.toString().endsWith(".txt")).count();
    }
  }
}

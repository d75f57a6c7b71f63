package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measures a log whose segments come and go meanwhile. */
final class FolderSizeTest {
  /** Segments that are created and deleted during the measurement. */
  private static final int SEGMENTS = 300;

  private static final int SEGMENT_BYTES = 100;

  @TempDir Path log;

  private Path file(String segment) throws IOException {
    Path folder = Files.createDirectory(log.resolve(segment));
    return Files.write(folder.resolve("records"), new byte[SEGMENT_BYTES]);
  }

  @Test
  void itIsTheSumOfAllFilesBelow() throws IOException {
    var _ = file("segment-1");
    var _ = file("segment-2");
    Files.write(log.resolve("x"), new byte[7]);
    assertEquals(2 * SEGMENT_BYTES + 7, FolderSize.bytes(log));
  }

  @Test
  void aFolderThatIsNotThereIsEmpty() {
    assertEquals(0, FolderSize.bytes(log.resolve("none")));
  }

  @Test
  void segmentsThatArePreparedAndRemovedMeanwhileDoNotMatter() throws Exception {
    var _ = file("segment-1");
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger rounds = new AtomicInteger();
    CompletableFuture<Void> busy =
        CompletableFuture.runAsync(
            () -> {
              while (!over.get()) {
                prepareRenameAndRemove();
                rounds.incrementAndGet();
              }
            });
    try {
      while (rounds.get() < SEGMENTS && !busy.isDone()) {
        long bytes = FolderSize.bytes(log);
        assertTrue(bytes == SEGMENT_BYTES || bytes == 2 * SEGMENT_BYTES, bytes + " bytes");
      }
    } finally {
      over.set(true);
    }
    busy.get(30, TimeUnit.SECONDS);
  }

  private void prepareRenameAndRemove() {
    try {
      Path spare = Files.createDirectory(log.resolve("spare"));
      Path staged = Files.write(log.resolve("staged"), new byte[0]);
      Files.move(staged, spare.resolve("records"));
      Path segment = Files.move(spare, log.resolve("segment-2"));
      Files.delete(segment.resolve("records"));
      Files.delete(segment);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }
}

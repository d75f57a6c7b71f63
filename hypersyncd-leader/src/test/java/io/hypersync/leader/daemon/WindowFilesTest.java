package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.hazard.WindowCodec;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What agents had done beside a snapshot, as files: a start does without them, and says so. */
class WindowFilesTest {
  private static final Hash ROOT = new Hash(1, 2, 3, 4);

  @TempDir Path state;
  private WindowFiles files;
  private TouchWindow.Image image;

  @BeforeEach
  void store() throws Exception {
    files = new WindowFiles(state);
    image = WindowCodec.decode(WindowCodec.encode(image(100)));
    files.write(image);
  }

  /** A window with something in it. */
  private static TouchWindow.Image image(long index) {
    return new TouchWindow.Image(
        index, ROOT, List.of(), List.of(new TouchWindow.Recorded(new NodeId(1, 1), 7)));
  }

  @Test
  void itIsReadForItsSnapshot() {
    assertEquals(image, files.read(100, ROOT).image(100, ROOT));
  }

  @Test
  void anotherSnapshotHasNone() {
    assertEquals(0, known(99, ROOT));
  }

  @Test
  void anotherHistoryHasNone() {
    assertEquals(0, known(100, new Hash(1, 2, 3, 5)));
  }

  @Test
  void aRottenFileCountsAsNone() throws IOException {
    Path file = state.resolve("windows/100");
    byte[] bytes = Files.readAllBytes(file);
    bytes[60] ^= 1;
    Files.write(file, bytes);
    assertEquals(0, known(100, ROOT));
  }

  @Test
  void theNewestAreKept() throws IOException {
    for (long index = 101; index < 120; index++) {
      files.write(image(index));
    }
    Files.createFile(state.resolve("windows/notes.txt"));
    assertEquals(List.of("116", "117", "118", "119", "notes.txt"), left());
    files.write(image(50));
    assertEquals(List.of("50", "notes.txt"), left(), "the others are of a log that was cut");
    assertEquals(1, known(50, ROOT));
  }

  private List<String> left() throws IOException {
    try (Stream<Path> left = Files.list(state.resolve("windows"))) {
      return left.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private long known(long index, Hash root) {
    return files.read(index, root).image(index, root).recorded().size();
  }
}

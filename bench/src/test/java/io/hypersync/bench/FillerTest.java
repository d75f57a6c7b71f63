package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The files that the scale suite makes")
final class FillerTest {
  private static final Path MOUNT = Path.of("/mount");

  @Test
  @DisplayName("are as many as wanted, in whole directories of each worker")
  void count() {
    assertEquals(4_000, Filler.files(1));
    assertEquals(20_000, Filler.files(20_000));
    assertEquals(1_000_000, Filler.files(1_000_000));
    assertEquals(8_000, Filler.files(11_999));
  }

  @Test
  @DisplayName("have a path for each number, 1,000 in a directory")
  void paths() {
    Set<Path> files = new HashSet<>();
    Set<Path> directories = new HashSet<>();
    for (long i = 0; i < 20_000; i++) {
      Path file = Filler.file(MOUNT, i);
      files.add(file);
      directories.add(file.getParent());
    }
    assertEquals(20_000, files.size());
    assertEquals(20, directories.size());
  }

  @Test
  @DisplayName("are made where their paths say")
  void made() {
    // A worker calls its directories <worker>-1, <worker>-2 and so on.
    List<NodeId> directories = List.of(new NodeId(101, 1), new NodeId(102, 1));
    FsOp.CreateFile made = (FsOp.CreateFile) Filler.create(directories, 1_234);
    assertEquals(new NodeId(102, 1), made.parent());
    assertEquals("f234", made.name().toString());
    assertEquals(MOUNT.resolve("fill3-2/f234"), Filler.file(MOUNT, 4 * 1_234 + 3));
  }
}

package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("What a state directory takes of the disk")
final class StateDiskTest {
  private static final int MIB = 1 << 20;

  @Test
  @DisplayName("is told by folder, in blocks that are allocated")
  void parts(@TempDir Path directory) throws Exception {
    Path deep = Files.createDirectories(directory.resolve("chunks/segments"));
    Files.write(deep.resolve("1"), new byte[MIB]);
    Files.write(directory.resolve("collected"), new byte[1]);
    Path sparse = Files.createDirectory(directory.resolve("oplog")).resolve("segment");
    try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
      file.setLength(16L * MIB);
    }
    StateDisk disk = StateDisk.of(directory);
    assertEquals(Set.of("chunks", "collected", "oplog"), disk.parts().keySet());
    assertTrue(disk.part("chunks") >= MIB && disk.part("chunks") < 2 * MIB, disk::toString);
    assertTrue(disk.part("oplog") < MIB, disk::toString);
    assertEquals(0, disk.part("intents"));
    assertEquals(disk.bytes(), disk.without("oplog") + disk.part("oplog"));
  }
}

package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.demo.Narrator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The ext4 that is mounted sync,dirsync")
@Tag("slow")
final class DirsyncImageTest {
  private static final long BYTES = 256L << 20;
  private static final int STAT_BLOCK_BYTES = 512;

  @TempDir private Path folder;

  private final Narrator narrator = new Narrator(new PrintWriter(new StringWriter()));

  @Test
  @DisplayName("leaves nothing to do to whoever writes in it: all blocks written, all tables made")
  void complete() throws IOException, InterruptedException {
    DirsyncImage image = new DirsyncImage(folder.resolve("image"), BYTES);
    image.make(narrator);
    assertEquals(BYTES, Files.size(image.file()));
    String blocks = Command.run("stat", "--format=%b", image.file().toString()).strip();
    assertTrue(Long.parseLong(blocks) * STAT_BLOCK_BYTES >= BYTES, blocks);
    String extents = Command.run("filefrag", "-v", image.file().toString());
    assertFalse(extents.contains("unwritten"), extents);
    List<String> groups =
        Command.run("dumpe2fs", image.file().toString())
            .lines()
            .filter(line -> line.matches("Group [0-9]+: .*"))
            .toList();
    assertFalse(groups.isEmpty());
    groups.forEach(group -> assertTrue(group.contains("ITABLE_ZEROED"), group));
    Command.run("e2fsck", "-f", "-n", image.file().toString());
  }

  @Test
  @DisplayName("is not begun on a disk that has no room for it")
  void noRoom() throws IOException {
    DirsyncImage image = new DirsyncImage(folder.resolve("image"), 1L << 60);
    IOException refused = assertThrows(IOException.class, () -> image.make(narrator));
    assertTrue(String.valueOf(refused.getMessage()).contains("are free"), refused::toString);
    assertFalse(Files.exists(image.file()));
  }
}

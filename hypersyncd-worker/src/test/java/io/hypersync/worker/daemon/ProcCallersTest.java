package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcCallersTest {
  @TempDir private Path directory;

  @Test
  void groupsAreReadBehindAThreadNameThatIsCutWithinACharacter() throws IOException {
    ByteArrayOutputStream status = new ByteArrayOutputStream();
    status.writeBytes("Name:\tcaf".getBytes(StandardCharsets.UTF_8));
    status.write(0xC3); // the first of two bytes
    status.writeBytes("\nUid:\t0\nGroups:\t4 27 1000 \n".getBytes(StandardCharsets.UTF_8));
    Path file = Files.write(directory.resolve("status"), status.toByteArray());

    assertArrayEquals(new int[] {4, 27, 1000}, ProcCallers.groups(file));
  }

  @Test
  void whoHasEndedHasNoGroups() {
    assertArrayEquals(new int[0], ProcCallers.groups(directory.resolve("gone")));
  }
}

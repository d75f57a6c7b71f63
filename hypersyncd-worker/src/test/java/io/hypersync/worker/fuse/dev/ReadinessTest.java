package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReadinessTest {
  @TempDir private Path folder;

  @Test
  void aPipeIsReadableWhenThereIsSomethingInIt() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor());
    // O_RDWR, so that it does not wait for the other end
    int descriptor = Syscalls.open(pipe.toString(), Syscalls.O_RDWR);
    assertTrue(descriptor >= 0);
    try {
      assertFalse(Readiness.isReadable(descriptor));
      try (OutputStream out = Files.newOutputStream(pipe)) {
        out.write(1);
      }
      assertTrue(Readiness.isReadable(descriptor));
    } finally {
      assertEquals(0, Syscalls.close(descriptor));
    }
  }
}

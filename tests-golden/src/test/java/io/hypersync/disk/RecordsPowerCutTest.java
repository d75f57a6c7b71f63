package io.hypersync.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.file.FileCasStore;
import io.hypersync.runtime.agent.Clock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A record that was written is there after a power cut after which nothing survives by chance. */
@Timeout(60)
@Tag("mount")
class RecordsPowerCutTest {
  private static final String KEY = "background";

  @TempDir Path temp;

  @Test
  void eachWriteIsThereWhenItHasReturned() throws Exception {
    Path point = Files.createDirectory(temp.toRealPath().resolve("disk"));
    try (PowerLossDisk disk = PowerLossDisk.mount(point, Naming.STRICT)) {
      FileCasStore store = new FileCasStore(point.resolve("a").resolve("records"), Clock.SYSTEM);
      long revision = store.create(KEY, bytes("0")).orElseThrow();
      for (int i = 1; i <= 5; i++) {
        disk.cutPower(new Random(i), 0);
        CasRecord read = store.read(KEY).orElseThrow();
        assertEquals(revision, read.revision());
        assertArrayEquals(bytes(String.valueOf(i - 1)), read.value());
        revision = store.update(KEY, bytes(String.valueOf(i)), revision).orElseThrow();
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

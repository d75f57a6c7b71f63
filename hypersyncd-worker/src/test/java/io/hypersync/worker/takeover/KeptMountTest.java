package io.hypersync.worker.takeover;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a keeper is told of a mount. */
class KeptMountTest {
  private static final KeptMount MOUNT =
      new KeptMount(
          1L << 40, 45, 0x8000_0000_0001L, 1 << 20, Duration.ofMinutes(1), 1, true, Path.of("/m"));

  @Test
  void aMountIsReadAsItWasWritten() {
    assertEquals(MOUNT, KeptMount.decode(MOUNT.encoded()));
    assertEquals(2, MOUNT.next().generation());
    byte[] whole = MOUNT.encoded();
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThrows(IllegalArgumentException.class, () -> KeptMount.decode(part));
    }
    assertArrayEquals(whole, KeptMount.decode(whole).encoded());
  }
}

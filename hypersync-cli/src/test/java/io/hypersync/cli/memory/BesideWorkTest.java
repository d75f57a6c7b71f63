package io.hypersync.cli.memory;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class BesideWorkTest {
  private static final int BYTES = 5 << 20;

  private volatile byte[] kept = new byte[0];

  @Test
  void whatATaskAllocatesIsCountedAlsoIfItFails() {
    long before = BesideWork.allocatedBytes();
    BesideWork.counted(() -> kept = new byte[BYTES]).run();
    long after = BesideWork.allocatedBytes();
    assertTrue(after - before >= BYTES, () -> (after - before) + " of " + kept.length);
    Runnable failing =
        BesideWork.counted(
            () -> {
              kept = new byte[BYTES];
              throw new IllegalStateException();
            });
    assertThrows(IllegalStateException.class, failing::run);
    assertTrue(BesideWork.allocatedBytes() - after >= BYTES);
  }
}

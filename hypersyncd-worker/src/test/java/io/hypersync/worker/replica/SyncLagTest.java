package io.hypersync.worker.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How old what a mount shows is, by its entries (hypersync.md 15.2). */
class SyncLagTest {
  private static final long MS = 1_000_000;
  private static final long SECOND_NS = 1_000 * MS;

  private final SyncLag lag = new SyncLag(0);

  @Test
  void withoutEntriesNothingIsKnown() {
    assertEquals(-1, lag.p95Us(0));
    lag.applied(1, 0);
    assertEquals(-1, lag.p95Us(SECOND_NS), "it is not visible yet");
  }

  @Test
  void nineteenOfTwentyAreNoOlder() {
    for (int i = 1; i <= 100; i++) {
      lag.applied(i, 0);
      lag.visible(i, (i <= 95 ? 2 : 900) * MS);
    }
    assertEquals(2_000, lag.p95Us(SECOND_NS), 20);
    lag.applied(101, 0);
    lag.visible(101, 900 * MS);
    lag.applied(102, 0);
    lag.visible(102, 900 * MS);
    assertEquals(900_000, lag.p95Us(SECOND_NS), 9_000);
  }

  @Test
  void severalBecomeVisibleAtOnce() {
    lag.applied(1, 0);
    lag.applied(2, 5 * MS);
    lag.applied(3, 9 * MS);
    lag.visible(2, 10 * MS);
    assertEquals(10_000, lag.p95Us(10 * MS), 100);
  }

  @Test
  void oldOnesAreForgotten() {
    lag.applied(1, 0);
    lag.visible(1, 900 * MS);
    assertEquals(900_000, lag.p95Us(6 * SECOND_NS), 9_000);
    assertEquals(-1, lag.p95Us(20 * SECOND_NS));
  }

  @Test
  void aJumpHasNoLag() {
    lag.applied(1, 0);
    lag.forget();
    lag.visible(50, SECOND_NS);
    assertEquals(-1, lag.p95Us(SECOND_NS));
  }
}

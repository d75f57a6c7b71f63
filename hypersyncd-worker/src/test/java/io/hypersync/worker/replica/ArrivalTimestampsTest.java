package io.hypersync.worker.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** When the entries that are being applied arrived. */
class ArrivalTimestampsTest {
  private static final long NOW = 99;

  private final ArrivalTimestamps arrivals = new ArrivalTimestamps();

  @Test
  void entriesCameWithTheFirstMessageThatReachedThem() {
    arrivals.add(3, 10);
    arrivals.add(3, 20); // brought nothing new
    arrivals.add(5, 30);
    long[][] table = {{1, 10}, {3, 10}, {4, 30}, {5, 30}};
    for (long[] row : table) {
      assertEquals(row[1], arrivals.take(row[0], NOW), "entry " + row[0]);
    }
  }

  @Test
  void whatIsNotKnownToHaveComeCameNow() {
    assertEquals(NOW, arrivals.take(1, NOW));
    arrivals.add(1, 10);
    arrivals.clear();
    assertEquals(NOW, arrivals.take(1, NOW), "it comes again with the next connection");
  }
}

package io.hypersync.runtime.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapRoomTest {
  private static final long HEAP = 1_024L << 20;
  private static final long HALF = HEAP / 2;

  @Test
  void marksTakeAQuarterOfTheHeapAtMost() {
    assertEquals(HEAP / 4, HeapRoom.mostForMarks(HEAP, HALF, 0));
    assertEquals(HEAP / 4, HeapRoom.mostForMarks(HEAP, 0, 0));
  }

  /** The state may grow while the collection runs. */
  @Test
  void theShareOfTheStateIsNotTheirs() {
    assertEquals(HEAP / 8, HeapRoom.mostForMarks(HEAP, 3 * HEAP / 4, 0));
    assertEquals(0, HeapRoom.mostForMarks(HEAP, 9 * HEAP / 10, 0));
  }

  /** A second state, for instance, of which a snapshot is being verified. */
  @Test
  void norIsWhatTheJvmCouldNotFree() {
    assertEquals(HEAP / 8, HeapRoom.mostForMarks(HEAP, HALF, 3 * HEAP / 4));
    assertEquals(0, HeapRoom.mostForMarks(HEAP, HALF, HEAP));
  }

  /** This process is far from having lived off all of its heap, whatever garbage it has made. */
  @Test
  void garbageIsRoom() {
    long heap = Runtime.getRuntime().maxMemory();
    long made = 0;
    while (made < heap / 2) {
      made += new byte[1 << 20].length;
    }
    assertTrue(HeapRoom.mostForMarks(0) > heap / 16, () -> HeapRoom.mostForMarks(0) + " bytes");
  }
}

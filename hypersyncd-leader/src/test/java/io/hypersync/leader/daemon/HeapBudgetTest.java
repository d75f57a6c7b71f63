package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapBudgetTest {
  private static final long HEAP = 1_024L << 20;
  private static final long HALF = HEAP / 2;

  @Test
  void marksTakeAQuarterOfTheHeapAtMost() {
    assertEquals(HEAP / 4, HeapBudget.mostForMarks(HEAP, HALF, 0));
    assertEquals(HEAP / 4, HeapBudget.mostForMarks(HEAP, 0, 0));
  }

  /** The state may grow while the collection runs. */
  @Test
  void theShareOfTheStateIsNotTheirs() {
    assertEquals(HEAP / 8, HeapBudget.mostForMarks(HEAP, 3 * HEAP / 4, 0));
    assertEquals(0, HeapBudget.mostForMarks(HEAP, 9 * HEAP / 10, 0));
  }

  /** A second state, for instance, of which a snapshot is being verified. */
  @Test
  void norIsWhatTheJvmCouldNotFree() {
    assertEquals(HEAP / 8, HeapBudget.mostForMarks(HEAP, HALF, 3 * HEAP / 4));
    assertEquals(0, HeapBudget.mostForMarks(HEAP, HALF, HEAP));
  }

  /** Half of what a collection's pages may take; the two fit into the eighth that stays free. */
  @Test
  void whatAScrubRemembersHasAShareOfItsOwn() {
    long most = Runtime.getRuntime().maxMemory() / 32 / 64;
    long chunks = HeapBudget.mostScrubbedChunks();
    long pages = HeapBudget.mostScrubbedPages();
    assertTrue(chunks + pages <= most, chunks + " chunks and " + pages + " pages of " + most);
    assertTrue(chunks + pages >= most - 2 || chunks == 1 << 24, chunks + " chunks");
    assertTrue(pages >= 1 && chunks > pages, pages + " pages");
  }

  /** This process is far from having lived off all of its heap, whatever garbage it has made. */
  @Test
  void garbageIsRoom() {
    long heap = Runtime.getRuntime().maxMemory();
    long made = 0;
    while (made < heap / 2) {
      made += new byte[1 << 20].length;
    }
    assertTrue(HeapBudget.mostForMarks(0) > heap / 16, () -> HeapBudget.mostForMarks(0) + " bytes");
  }
}

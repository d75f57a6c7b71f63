package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapBudgetTest {
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
}

package io.hypersync.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A page is never taken for one that was come to when it was not. */
class SeenHashesTest {
  @Test
  void itKnowsWhatWasAddedAndNothingElse() {
    SeenHashes pages = new SeenHashes(Integer.MAX_VALUE);
    Set<Hash> model = new HashSet<>();
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      Hash page = new Hash(random.nextInt(40), random.nextInt(400), 0, 0);
      assertEquals(model.add(page), pages.add(page), page::toString);
    }
    for (int i = 0; i < 50_000; i++) {
      assertTrue(pages.add(new Hash(random.nextLong(), random.nextLong(), 0, 0)));
    }
    assertEquals(model.size() + 50_000, pages.count());
  }

  @Test
  void whenItIsFullItForgetsAndNeverInvents() {
    SeenHashes pages = new SeenHashes(100);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 150; i++) {
        assertTrue(pages.add(new Hash(i, i, 0, 0)), "round " + round + ", page " + i);
        assertFalse(pages.add(new Hash(i, i, 0, 0)));
      }
    }
  }

  /** A hash of zeros looks like an empty slot. */
  @Test
  void zeroIsAPageToo() {
    SeenHashes pages = new SeenHashes(10);
    assertTrue(pages.add(Hash.ZERO));
    assertFalse(pages.add(Hash.ZERO));
    assertTrue(pages.add(new Hash(0, 2, 0, 0)));
  }
}

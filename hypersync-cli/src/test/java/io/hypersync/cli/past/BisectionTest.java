package io.hypersync.cli.past;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A search for the first bad position. */
class BisectionTest {
  private int runs;

  private Bisection search(long good, long bad, long firstBad, Set<Long> unjudged) {
    Bisection search = new Bisection(good, bad);
    runs = 0;
    for (var next = search.next(); next.isPresent(); next = search.next()) {
      long position = next.getAsLong();
      assertTrue(position > search.lastGood() && position < search.firstBad(), "" + position);
      runs++;
      if (unjudged.contains(position)) {
        search.skip(position);
      } else if (position >= firstBad) {
        search.bad(position);
      } else {
        search.good(position);
      }
    }
    return search;
  }

  @Test
  void findsEachPositionInAFewRuns() {
    for (long first = 101; first <= 1_100; first++) {
      Bisection search = search(100, 1_100, first, Set.of());
      assertTrue(search.isFound());
      assertEquals(first, search.firstBad());
      assertEquals(first - 1, search.lastGood());
      assertTrue(runs <= 10, runs + " runs");
    }
  }

  @Test
  void twoNeighboursNeedNoRun() {
    assertEquals(8, search(7, 8, 8, Set.of()).firstBad());
    assertEquals(0, runs);
  }

  @Test
  void whatCannotBeJudgedIsPassedBy() {
    Bisection search = search(0, 16, 5, Set.of(8L, 7L, 9L));
    assertTrue(search.isFound());
    assertEquals(5, search.firstBad());
  }

  /** The range that is left holds the one that is looked for. */
  @Test
  void ifItIsAmongThoseARangeIsLeft() {
    Bisection search = search(0, 16, 8, Set.of(7L, 8L, 9L));
    assertFalse(search.isFound());
    assertEquals(6, search.lastGood());
    assertEquals(10, search.firstBad());
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void theGoodOneComesFirst(long good) {
    assertThrows(IllegalArgumentException.class, () -> new Bisection(good, 5));
  }
}

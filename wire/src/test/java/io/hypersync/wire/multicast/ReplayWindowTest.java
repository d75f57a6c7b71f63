package io.hypersync.wire.multicast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Each number is taken once, in any order, as far back as the window reaches. */
class ReplayWindowTest {
  private final ReplayWindow window = new ReplayWindow();

  @Test
  void aNumberIsTakenOnce() {
    assertTrue(window.isNew(1));
    window.add(1);
    assertFalse(window.isNew(1));
    assertTrue(window.isNew(2));
  }

  @Test
  void numbersBeginWithOne() {
    assertFalse(window.isNew(0));
    assertFalse(window.isNew(-1));
    assertFalse(window.isNew(Long.MIN_VALUE));
  }

  @Test
  void oneThatWasOvertakenIsTakenLaterAndOnce() {
    window.add(10);
    window.add(8);
    assertFalse(window.isNew(8));
    assertTrue(window.isNew(9));
    assertEquals(10, window.newest());
  }

  @Test
  void whatIsOlderThanTheWindowCountsAsSeen() {
    window.add(10_000);
    assertTrue(window.isNew(10_000 - ReplayWindow.SIZE + 1));
    assertFalse(window.isNew(10_000 - ReplayWindow.SIZE));
  }

  @Test
  void aLeapForgetsAllThatWasSeen() {
    window.add(5);
    window.add(MulticastPackets.LAST_NUMBER);
    assertFalse(window.isNew(5));
    assertTrue(window.isNew(MulticastPackets.LAST_NUMBER - 1));
  }

  /** Against a set of all numbers, with leaps of every size. */
  @Test
  void anyOrderGivesWhatASetGives() {
    SplittableRandom random = new SplittableRandom(7);
    Set<Long> seen = new HashSet<>();
    long newest = 0;
    for (int i = 0; i < 200_000; i++) {
      long number =
          Math.max(
              1,
              random.nextInt(50) == 0
                  ? newest + random.nextLong(3 * ReplayWindow.SIZE)
                  : newest + 4 - random.nextLong(ReplayWindow.SIZE + 200));
      boolean isNew = number > newest - ReplayWindow.SIZE && !seen.contains(number);
      assertEquals(isNew, window.isNew(number), () -> "number " + number);
      if (isNew) {
        window.add(number);
        seen.add(number);
        newest = Math.max(newest, number);
      }
    }
    assertEquals(newest, window.newest());
  }
}

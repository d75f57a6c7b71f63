package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Behaves like any map; only its heap use is special. */
class SequenceMapTest {
  @Test
  void itAgreesWithAHashMap() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int history = 0; history < 20; history++) {
      Map<Long, Long> expected = new HashMap<>();
      SequenceMap map = new SequenceMap();
      long key = random.nextInt(100);
      for (int i = 1; i <= 5_000; i++) {
        key =
            switch (random.nextInt(20)) {
              case 0 -> random.nextLong(); // anything, negative too
              case 1 -> key - random.nextInt(200); // out of order
              case 2 -> key + random.nextInt(300); // a gap
              default -> key + 1;
            };
        String where = "seed " + seed + " history " + history + " key " + key;
        assertEquals(expected.getOrDefault(key, 0L), map.get(key), where);
        expected.put(key, (long) i);
        map.put(key, i);
        assertEquals(i, map.get(key), where);
      }
      expected.forEach((k, v) -> assertEquals(v, map.get(k), "seed " + seed + " key " + k));
    }
  }

  @Test
  void whatWasNeverSetIsNotThere() {
    SequenceMap map = new SequenceMap();
    assertEquals(SequenceMap.NONE, map.get(0));
    map.put(64, 1);
    for (long key : new long[] {0, 63, 65, 127, 128, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertEquals(SequenceMap.NONE, map.get(key), () -> "key " + key);
    }
  }

  /** A key far from the others goes to the hash map, and is still found when the pages reach it. */
  @Test
  void whatCameFarAheadIsFoundWhenTheOthersReachIt() {
    SequenceMap map = new SequenceMap();
    map.put(1, 1);
    map.put(5_000, 2);
    for (long key = 2; key < 10_000; key++) {
      if (key != 5_000) {
        map.put(key, 3);
      }
    }
    assertEquals(2, map.get(5_000));
    map.put(5_000, 4);
    assertEquals(4, map.get(5_000));
    assertEquals(3, map.get(4_999));
    assertEquals(3, map.get(9_999));
  }
}

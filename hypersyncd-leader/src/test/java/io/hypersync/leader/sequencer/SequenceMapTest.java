package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any map, told apart by nothing but the memory it takes. */
class SequenceMapTest {
  @Test
  void itAgreesWithAHashMap() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<Long, Long> expected = new HashMap<>();
    SequenceMap map = new SequenceMap();
    long key = random.nextInt(100);
    for (int i = 1; i <= 20_000; i++) {
      key =
          switch (random.nextInt(20)) {
            case 0 -> random.nextLong(); // anything, negative too
            case 1 -> Math.max(0, key - random.nextInt(200)); // out of order
            case 2 -> key + random.nextInt(300); // a gap
            default -> key + 1;
          };
      assertEquals(expected.getOrDefault(key, 0L), map.get(key), "seed " + seed + " key " + key);
      expected.put(key, (long) i);
      map.put(key, i);
      assertEquals(i, map.get(key), "seed " + seed + " key " + key);
    }
    expected.forEach((k, v) -> assertEquals(v, map.get(k), "seed " + seed + " key " + k));
  }

  @Test
  void whatWasNeverSetIsZero() {
    SequenceMap map = new SequenceMap();
    assertEquals(0, map.get(0));
    map.put(64, 1);
    for (long key : new long[] {0, 63, 65, 127, 128, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertEquals(0, map.get(key), () -> "key " + key);
    }
  }
}

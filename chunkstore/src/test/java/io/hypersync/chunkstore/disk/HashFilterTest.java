package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HashFilterTest {
  private static final int ASKED = 200_000;

  @ParameterizedTest(name = "{1} hashes where {0} were expected: at most {2} percent pass")
  @CsvSource({
    "0, 0, 0",
    "0, 65536, 1",
    "0, 500000, 2.5",
    "500000, 500000, 1",
    "1000000, 1000, 0.1"
  })
  void whatWasAddedPassesAndNearlyNothingElseDoes(long expected, int added, double percent) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    HashFilter filter = new HashFilter(expected);
    List<Hash> hashes = Stream.generate(() -> hash(random)).limit(added).toList();
    hashes.forEach(filter::add);
    hashes.forEach(hash -> assertTrue(filter.mayContain(hash), () -> "seed " + seed + ": " + hash));
    long passed =
        Stream.generate(() -> hash(random)).limit(ASKED).filter(filter::mayContain).count();
    assertTrue(passed <= ASKED * percent / 100, passed + " of " + ASKED + ", seed " + seed);
  }

  @Test
  void threadsThatAddDoNotTakeEachOthersBitsAway() throws InterruptedException {
    long seed = System.nanoTime();
    HashFilter filter = new HashFilter(0);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long each = seed + i;
      threads.add(Thread.startVirtualThread(() -> all(each).forEach(filter::add)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    long missing = 0;
    for (int i = 0; i < 4; i++) {
      missing += all(seed + i).filter(hash -> !filter.mayContain(hash)).count();
    }
    assertEquals(0, missing, "seed " + seed);
  }

  private static Stream<Hash> all(long seed) {
    Random random = new Random(seed);
    return Stream.generate(() -> hash(random)).limit(50_000);
  }

  private static Hash hash(Random random) {
    return new Hash(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
  }
}

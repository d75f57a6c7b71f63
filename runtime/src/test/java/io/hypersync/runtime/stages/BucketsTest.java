package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BucketsTest {
  /** Bounds 10, 20, 40, and what is above. */
  @ParameterizedTest
  @CsvSource({
    "-1, 0",
    "0, 0",
    "1, 0",
    "10, 0",
    "11, 1",
    "20, 1",
    "21, 2",
    "40, 2",
    "41, 3",
    "1000000, 3"
  })
  void aBoundBelongsToTheBucketBelowIt(long value, int bucket) {
    Buckets buckets = new Buckets(10, 3);
    buckets.add(value);
    for (int i = 0; i <= 3; i++) {
      assertEquals(i == bucket ? 1 : 0, buckets.json().path("counts").get(i).asInt());
    }
  }

  @Test
  void theSumIsExactAndNegativeValuesCountAsZero() {
    Buckets buckets = new Buckets(1_000, 4);
    buckets.add(7);
    buckets.add(123_456);
    buckets.add(-5);
    assertEquals(
        "{\"least\":1000,\"counts\":[2,0,0,0,1],\"sum\":123463}", buckets.json().toString());
  }

  @Test
  void theHighestBoundOfLatenciesIsAboutEightSeconds() {
    Buckets buckets = Buckets.ofLatencies();
    buckets.add(8_388_608_000L);
    buckets.add(8_388_608_001L);
    var counts = buckets.json().path("counts");
    assertEquals(1, counts.get(counts.size() - 2).asInt());
    assertEquals(1, counts.get(counts.size() - 1).asInt());
  }
}

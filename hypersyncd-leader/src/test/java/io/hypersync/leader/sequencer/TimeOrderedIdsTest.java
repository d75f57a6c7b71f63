package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.NodeId;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** UUIDs of version 7 that sort by time (RFC 9562, 5.7). */
class TimeOrderedIdsTest {
  @ParameterizedTest
  @CsvSource({
    // nanoseconds since 1970, all random bits, the id
    "0,                    0,  00000000000070008000000000000000",
    "1_000_000,            0,  00000000000170008000000000000000",
    "999_999,              0,  0000000000007fff8000000000000000",
    "500_000,             -1,  0000000000007800bfffffffffffffff",
    "1_764_000_000_123_456_789, 4, 019ab697e87b774f8000000000000001",
    "-1,                   0,  ffffffffffff7fff8000000000000000",
  })
  void anIdIsMadeOfATimeAndRandomBits(String timeNs, long random, String id) {
    long time = Long.parseLong(timeNs.replace("_", ""));
    assertEquals(id, TimeOrderedIds.node(time, () -> random).toString());
    assertEquals(id, TimeOrderedIds.op(time, () -> random).toString());
  }

  @Test
  void javaReadsThemAsUuidsOfVersion7() {
    NodeId id = TimeOrderedIds.node(1_764_000_000_123_456_789L, new Random(7)::nextLong);
    UUID uuid = new UUID(id.high(), id.low());
    assertEquals(7, uuid.version());
    assertEquals(2, uuid.variant());
  }

  @Test
  void laterTimesGiveLaterIdsAndEqualOnesDifferentIds() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long time = 1_764_000_000_000_000_000L;
    NodeId last = TimeOrderedIds.node(time, random::nextLong);
    for (int i = 0; i < 10_000; i++) {
      time += 245 + random.nextInt(3_000_000); // a 4096th of a millisecond is 244 ns
      NodeId next = TimeOrderedIds.node(time, random::nextLong);
      assertTrue(last.compareTo(next) < 0, "seed " + seed + ": " + last + " then " + next);
      assertNotEquals(next, TimeOrderedIds.node(time, random::nextLong));
      last = next;
    }
  }
}

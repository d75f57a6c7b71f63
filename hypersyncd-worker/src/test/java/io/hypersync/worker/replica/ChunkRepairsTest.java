package io.hypersync.worker.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChunkRepairsTest {
  private static final Hash ONE = new Hash(1, 0, 0, 0);
  private static final Hash TWO = new Hash(2, 0, 0, 0);

  private final ChunkRepairs repairs = new ChunkRepairs(100);
  private final List<String> heard = new ArrayList<>();

  @Test
  void theLeaderIsAskedOnceForAllWhoWait() {
    assertTrue(wait(ONE, "a", 0));
    assertFalse(wait(ONE, "b", 1));
    assertTrue(wait(TWO, "c", 2));
    repairs.stored(ONE);
    repairs.stored(ONE);
    assertEquals(List.of("a ready", "b ready"), heard);
    assertEquals(1, repairs.repaired());
    assertTrue(wait(ONE, "d", 3), "it has rotted again");
  }

  @Test
  void whatCannotBeHadIsTold() {
    wait(ONE, "a", 0);
    wait(TWO, "b", 0);
    repairs.failed(ONE, Errno.EIO);
    assertEquals(List.of("a EIO"), heard);
    repairs.leaderLost();
    assertEquals(List.of("a EIO", "b EIO"), heard);
    assertEquals(0, repairs.repaired());
  }

  @Test
  void nobodyWaitsForEver() {
    wait(ONE, "a", 0);
    wait(TWO, "b", 50);
    repairs.expire(99);
    assertEquals(List.of(), heard);
    repairs.expire(100);
    assertEquals(List.of("a EIO"), heard);
    repairs.expire(150);
    assertEquals(List.of("a EIO", "b EIO"), heard);
  }

  /** A reader whose wait ends may need the next chunk at once. */
  @Test
  void aReaderMayWaitAgainWhenItIsTold() {
    repairs.add(ONE, () -> wait(ONE, "again", 1), errno -> wait(ONE, "never", 1), 0);
    repairs.stored(ONE);
    repairs.stored(ONE);
    assertEquals(List.of("again ready"), heard);
  }

  private boolean wait(Hash chunk, String who, long nowNs) {
    return repairs.add(
        chunk, () -> heard.add(who + " ready"), errno -> heard.add(who + " " + errno), nowNs);
  }
}

package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log indexes of intents, and how long they are remembered (hypersync.md 8.2). */
class IntentIndexTest {
  private static final WorkerId W = new WorkerId("w1");
  private static final long HOUR_NS = 3_600_000_000_000L;

  @Test
  void anIntentIsFoundWhereItWasPut() {
    IntentIndex index = new IntentIndex(10, HOUR_NS);
    index.add(intent(1, 1), W, 7, 0);
    index.add(intent(2, 1), W, 8, 0);
    assertEquals(7, index.find(intent(1, 1)));
    assertEquals(8, index.find(intent(2, 1)));
    assertEquals(IntentIndex.NOT_FOUND, index.find(intent(1, 2)));
    assertEquals(IntentIndex.NOT_FOUND, index.find(intent(3, 1)));
    assertEquals(2, index.size());
  }

  @Test
  void aClientBelongsToTheWorkerOfItsFirstIntent() {
    IntentIndex index = new IntentIndex(10, HOUR_NS);
    ClientId client = intent(1, 1).client();
    WorkerId other = new WorkerId("w2");
    assertTrue(index.mayBelongTo(client, W));
    assertTrue(index.mayBelongTo(client, other));
    index.add(intent(1, 1), W, 7, 0);
    assertTrue(index.mayBelongTo(client, W));
    assertFalse(index.mayBelongTo(client, other));
  }

  @Test
  void nothingIsForgottenBeforeItIsOldHoweverManyCome() {
    IntentIndex index = new IntentIndex(2, HOUR_NS);
    for (int i = 1; i <= 100; i++) {
      index.add(intent(1, i), W, i, i);
    }
    assertEquals(1, index.find(intent(1, 1)), "99 ns old");
  }

  @Test
  void nothingIsForgottenWhileThereAreFewHoweverOldItIs() {
    IntentIndex index = new IntentIndex(100, HOUR_NS);
    for (int i = 1; i <= 50; i++) {
      index.add(intent(1, i), W, i, i * HOUR_NS);
    }
    assertEquals(1, index.find(intent(1, 1)), "one of the last 100");
  }

  @Test
  void whatIsOldAndFollowedByManyIsForgotten() {
    IntentIndex index = new IntentIndex(2, HOUR_NS);
    for (int i = 1; i <= 10; i++) {
      index.add(intent(1, i), W, i, i * HOUR_NS);
    }
    assertEquals(IntentIndex.NOT_FOUND, index.find(intent(1, 1)));
    assertEquals(9, index.find(intent(1, 9)));
    assertEquals(10, index.find(intent(1, 10)));
  }

  /**
   * The worst cases for heap: one client per intent; sequence numbers with the largest gaps that
   * still stay out of the hash map.
   */
  @Test
  void itTakesNoMoreThanItMay() {
    IntentIndex callers = new IntentIndex(1_000_000, HOUR_NS, 1 << 20);
    IntentIndex gaps = new IntentIndex(1_000_000, HOUR_NS, 1 << 20);
    for (int i = 1; i <= 20_000; i++) {
      callers.add(intent(i, 1), W, i, i);
      gaps.add(intent(1, 60L * i), W, i, i);
      assertTrue(callers.heapBytes() < (1 << 20) + 10_000, "callers");
      assertTrue(gaps.heapBytes() < (1 << 20) + 10_000, "gaps");
    }
    for (IntentIndex index : List.of(callers, gaps)) {
      long forgotten = index.forgottenThrough();
      assertTrue(forgotten > 10_000 && forgotten < 19_900, "through " + forgotten);
    }
    for (int i = (int) callers.forgottenThrough() + 1; i <= 20_000; i++) {
      assertEquals(i, callers.find(intent(i, 1)), "what is not forgotten is known");
    }
  }

  private static IntentId intent(long client, long seqNo) {
    return new IntentId(new ClientId(client, client), seqNo);
  }
}

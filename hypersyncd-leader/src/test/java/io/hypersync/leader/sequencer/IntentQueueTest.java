package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which intent goes next (hypersync.md 6.3.1, 9.3). */
class IntentQueueTest {
  private static final Hash H = new Hash(1, 2, 3, 4);
  private static final Hash I = new Hash(5, 6, 7, 8);
  private static final int LENGTH = 100;

  private final IntentQueue queue = new IntentQueue();

  @Test
  void intentsWithoutMissingChunksGoAsTheyCame() {
    add(1, 1, Set.of());
    add(2, 1, Set.of());
    add(1, 2, Set.of());
    assertEquals(List.of("1/1", "2/1", "1/2"), drain());
  }

  @Test
  void oneThatWaitsHoldsUpItsClientAlone() {
    add(1, 1, Set.of(H));
    add(1, 2, Set.of());
    add(2, 1, Set.of());
    assertEquals(List.of("2/1"), drain());
    assertEquals(List.of(), queue.arrived(H, LENGTH, 0));
    assertEquals(List.of("1/1", "1/2"), drain());
  }

  @Test
  void allChunksHaveToArrive() {
    add(1, 1, Set.of(H, I));
    assertEquals(List.of(), queue.arrived(H, LENGTH, 0));
    assertEquals(List.of(), drain());
    assertEquals(List.of(), queue.arrived(I, LENGTH, 0));
    assertEquals(List.of("1/1"), drain());
  }

  @Test
  void oneChunkServesAllThatWaitForItInTheirOrder() {
    for (int client = 1; client <= 20; client++) {
      add(client, 1, Set.of(H));
    }
    assertEquals(List.of(), queue.arrived(H, LENGTH, 0));
    List<String> expected = new ArrayList<>();
    for (int client = 1; client <= 20; client++) {
      expected.add(client + "/1");
    }
    assertEquals(expected, drain());
  }

  @Test
  void aChunkOfALaterIntentDoesNotLetItPass() {
    add(1, 1, Set.of(H));
    add(1, 2, Set.of(I));
    assertEquals(List.of(), queue.arrived(I, LENGTH, 0));
    assertEquals(List.of(), drain());
    assertEquals(List.of(), queue.arrived(H, LENGTH, 0));
    assertEquals(List.of("1/1", "1/2"), drain());
  }

  @Test
  void whatIsTakenOutLetsTheNextOneGo() {
    PendingIntent first = add(1, 1, Set.of(H));
    add(1, 2, Set.of());
    queue.remove(first);
    assertNull(queue.find(first.id()));
    assertEquals(List.of("1/2"), drain());
    assertEquals(List.of(), queue.arrived(H, LENGTH, 0));
    assertEquals(List.of(), drain());
  }

  @Test
  void onlyUploadsThatNobodyAsksAboutExpire() {
    PendingIntent lost = add(1, 1, Set.of(H), 10);
    PendingIntent behind = add(1, 2, Set.of(), 10);
    PendingIntent asked = add(2, 1, Set.of(H), 10);
    asked.touch(30);
    assertEquals(List.of(lost), queue.expire(20));
    assertEquals(2, queue.size());
    assertEquals(behind, queue.pollReady());
    assertEquals(List.of(), queue.expire(20));
    assertEquals(List.of(asked), queue.expire(31));
  }

  private PendingIntent add(long client, long seqNo, Set<Hash> missing) {
    return add(client, seqNo, missing, 0);
  }

  private PendingIntent add(long client, long seqNo, Set<Hash> missing, long nowNs) {
    PendingIntent intent =
        new PendingIntent(
            new IntentId(new ClientId(0, client), seqNo),
            new WorkerId("w1"),
            "",
            Genesis.op(),
            new byte[0],
            nowNs);
    queue.add(intent, missing);
    return intent;
  }

  private List<String> drain() {
    List<String> order = new ArrayList<>();
    for (PendingIntent next = queue.pollReady(); next != null; next = queue.pollReady()) {
      order.add(next.id().client().low() + "/" + next.id().seqNo());
      queue.remove(next);
    }
    return order;
  }
}

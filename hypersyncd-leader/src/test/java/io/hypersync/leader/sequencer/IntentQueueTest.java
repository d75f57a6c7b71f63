package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In which order intents become ready (hypersync.md 6.3.1, 9.3). */
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

  /** Each intent is of another client: {@code a2} is the second one of worker {@code a}. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      textBlock =
          """
          a1 a2 a3,             a1 a2 a3
          a1 a2 a3 a4 b1,       a1 b1 a2 a3 a4
          b1 a1 a2 b2 a3,       b1 a1 b2 a2 a3
          a1 a2 a3 b1 b2 c1 c2, a1 b1 c1 a2 b2 c2 a3
          """)
  void workersTakeTurns(String arrivals, String order) {
    long client = 0;
    for (String name : arrivals.split(" ", -1)) {
      client++;
      add(name.substring(0, 1), client, Long.parseLong(name.substring(1)), Set.of(), 0);
    }
    List<String> taken = new ArrayList<>();
    for (PendingIntent next = queue.pollReady(); next != null; next = queue.pollReady()) {
      taken.add(next.origin().name() + next.id().seqNo());
      queue.remove(next);
    }
    assertEquals(order, String.join(" ", taken));
  }

  @Test
  void whoComesInTheMiddleOfAFloodWaitsForOneIntentOfIt() {
    for (int client = 1; client <= 1_000; client++) {
      add("flood", client, 1, Set.of(), 0);
    }
    for (int i = 0; i < 500; i++) {
      queue.remove(Objects.requireNonNull(queue.pollReady()));
    }
    PendingIntent quiet = add("quiet", 2_000, 1, Set.of(), 0);
    queue.remove(Objects.requireNonNull(queue.pollReady()));
    assertEquals(quiet, queue.pollReady());
  }

  @Test
  void aFloodOfOneClientIsNoOther() {
    for (int seqNo = 1; seqNo <= 10; seqNo++) {
      add("flood", 1, seqNo, Set.of(), 0);
    }
    add("quiet", 2, 1, Set.of(), 0);
    assertEquals(List.of("1/1", "2/1", "1/2"), drain().subList(0, 3));
  }

  @Test
  void whatIsReadyAndWhatWaitsCountsForItsWorker() {
    PendingIntent waiting = add("a", 1, 1, Set.of(H), 0);
    add("a", 2, 1, Set.of(), 0);
    add("b", 3, 1, Set.of(), 0);
    assertEquals(2, queue.size(new WorkerId("a")));
    assertEquals(List.of("2/1", "3/1"), drain());
    assertEquals(1, queue.size(new WorkerId("a")));
    queue.remove(waiting);
    queue.remove(waiting);
    assertEquals(0, queue.size(new WorkerId("a")));
    assertEquals(0, queue.size(new WorkerId("b")));
  }

  private PendingIntent add(long client, long seqNo, Set<Hash> missing) {
    return add(client, seqNo, missing, 0);
  }

  private PendingIntent add(long client, long seqNo, Set<Hash> missing, long nowNs) {
    return add("w1", client, seqNo, missing, nowNs);
  }

  private PendingIntent add(String worker, long client, long seqNo, Set<Hash> missing, long nowNs) {
    PendingIntent intent =
        new PendingIntent(
            new IntentId(new ClientId(0, client), seqNo),
            new Author("", new WorkerId(worker)),
            CallContext.NONE,
            Genesis.op(),
            new byte[0],
            0,
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

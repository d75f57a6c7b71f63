package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No answer is sent before the entries it rests on are durable (hypersync.md 6.3). */
class AckQueueTest {
  private static final WorkerId WORKER = new WorkerId("w1");

  private final AckQueue acks = new AckQueue();
  private final List<Long> sent = new ArrayList<>();
  private AckGate gate = AckGate.OPEN;

  @Test
  void answersWaitForTheirEntryAndGoInOrder() {
    add(1, 5);
    add(2, 5);
    add(3, 6);
    assertEquals(0, release(4));
    assertEquals(2, release(5));
    assertEquals(List.of(1L, 2L), sent);
    assertEquals(1, release(100));
    assertEquals(List.of(1L, 2L, 3L), sent);
    assertEquals(0, acks.size());
  }

  @Test
  void anAnswerCanBeFoundAsLongAsItWaits() {
    add(1, 5);
    assertNotNull(acks.find(intent(1)));
    assertNull(acks.find(intent(2)));
    release(5);
    assertNull(acks.find(intent(1)));
  }

  @Test
  void anAnswerCountsForItsWorkerAsLongAsItWaits() {
    add(1, 5);
    add(2, 6);
    assertEquals(2, acks.size(WORKER));
    assertEquals(0, acks.size(new WorkerId("w2")));
    release(5);
    assertEquals(1, acks.size(WORKER));
    release(6);
    assertEquals(0, acks.size(WORKER));
  }

  @Test
  void answersThatTheGateHoldsBackHoldBackThoseBehindThem() {
    add(1, 5);
    add(2, 6);
    gate = (worker, index) -> worker.equals(WORKER) && index != 5;
    assertEquals(0, release(6));
    assertEquals(new OldestAck(WORKER, 5), acks.oldest(6));
    assertNull(acks.oldest(4), "it rests on what is not durable");
    gate = AckGate.OPEN;
    assertEquals(2, release(6));
    assertNull(acks.oldest(6));
  }

  private void add(long seqNo, long asOf) {
    acks.add(WORKER, new CommitAck(intent(seqNo), Errno.EEXIST, null, asOf), null);
  }

  private int release(long durable) {
    return acks.release(durable, gate, (_, ack) -> sent.add(ack.intent().seqNo()), (_, _) -> {});
  }

  private static IntentId intent(long seqNo) {
    return new IntentId(new ClientId(1, 1), seqNo);
  }
}

package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which entries go to the worker of their intents without their payloads. */
class KeptPayloadsTest {
  private static final byte[] PAYLOAD = new byte[4_096];
  private static final byte[] NOTHING = {};

  private final KeptPayloads kept = new KeptPayloads();

  @Test
  void anEntryWhoseIntentThisConnectionHasBroughtGoesWithoutItsPayload() {
    kept.submitted(intent(5));
    kept.sequenced(entry(5, PAYLOAD));
    byte[] logged = LogEntryCodec.encode(entry(5, PAYLOAD));
    byte[] sent = kept.sent(5, List.of(logged)).getFirst();
    assertArrayEquals(LogEntryCodec.withoutPayload(logged, PAYLOAD.length), sent);
    assertTrue(sent.length < 300, "it was " + logged.length);
  }

  @Test
  void othersBeforeItAndBehindItGoWhole() {
    kept.submitted(intent(6));
    kept.sequenced(entry(6, PAYLOAD));
    List<byte[]> logged = logged(5, 6, 7);
    List<byte[]> sent = kept.sent(5, logged);
    assertSame(logged.get(0), sent.get(0));
    assertTrue(LogEntryCodec.isWithoutPayload(sent.get(1)));
    assertSame(logged.get(2), sent.get(2));
  }

  @Test
  void inSeveralMessagesToo() {
    for (int index : List.of(5, 7)) {
      kept.submitted(intent(index));
      kept.sequenced(entry(index, PAYLOAD));
    }
    assertEquals(List.of(false), without(kept.sent(4, logged(4))));
    assertEquals(List.of(true, false), without(kept.sent(5, logged(5, 6))));
    assertEquals(List.of(true), without(kept.sent(7, logged(7))));
    assertEquals(List.of(false), without(kept.sent(8, logged(8))));
  }

  /** It may be another process of the worker that has the payload. */
  @Test
  void anIntentOfAnEarlierConnectionIsNotKnown() {
    kept.sequenced(entry(5, PAYLOAD));
    List<byte[]> logged = logged(5);
    assertSame(logged, kept.sent(5, logged));
  }

  @Test
  void anEntryWhosePayloadIsInChunksGoesAsItIs() {
    kept.submitted(intent(5));
    kept.sequenced(entry(5, NOTHING));
    assertEquals(List.of(false), without(kept.sent(5, logged(5))));
  }

  @Test
  void whatIsRefusedIsForgottenInTheEnd() {
    kept.submitted(intent(1));
    for (int i = 2; i <= KeptPayloads.MOST + 1; i++) {
      kept.submitted(intent(i));
    }
    kept.sequenced(entry(1, PAYLOAD));
    kept.sequenced(entry(2, PAYLOAD));
    assertEquals(List.of(false, true), without(kept.sent(1, logged(1, 2))));
  }

  /** A worker that does not read its log. */
  @Test
  void whatIsNotSentIsBoundedToo() {
    int many = KeptPayloads.MOST + 1;
    for (int i = 1; i <= many; i++) {
      kept.submitted(intent(i));
      kept.sequenced(entry(i, PAYLOAD));
    }
    assertEquals(List.of(true), without(kept.sent(1, logged(1))));
    for (int i = 2; i < many; i++) {
      assertEquals(List.of(true), without(kept.sent(i, logged(i))));
    }
    assertEquals(List.of(false), without(kept.sent(many, logged(many))));
  }

  private static List<Boolean> without(List<byte[]> sent) {
    return sent.stream().map(LogEntryCodec::isWithoutPayload).toList();
  }

  private static List<byte[]> logged(int... indexes) {
    return Arrays.stream(indexes)
        .mapToObj(index -> LogEntryCodec.encode(entry(index, PAYLOAD)))
        .toList();
  }

  private static LogEntry entry(long index, byte[] payload) {
    ChunkRef chunk = new ChunkRef(Blake3.hash(PAYLOAD), PAYLOAD.length);
    FsOp write = new FsOp.Write(new NodeId(1, 1), WriteMode.PWRITE, 0, List.of(chunk), false);
    return Entries.of(index, write).intent(intent(index)).inline(payload).entry();
  }

  private static IntentId intent(long number) {
    return new IntentId(new ClientId(7, 7), number);
  }
}

package io.hypersync.worker.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What does not come, and when that is known. */
class ExpectedChunksTest {
  private static final ExpectedChunks.Patience PATIENCE =
      new ExpectedChunks.Patience(100, 10, 1_000);

  private final ExpectedChunks chunks = new ExpectedChunks();

  @Test
  void nothingIsOverdueWhileSomethingComes() {
    chunks.expect(List.of(chunk(1), chunk(2)), 1_000);
    assertEquals(List.of(), chunks.overdue(PATIENCE, 1_099));
    chunks.begun(hash(1), 1_099);
    assertEquals(List.of(), chunks.overdue(PATIENCE, 1_198));
  }

  @Test
  void allAreOverdueWhenNothingComesAtAll() {
    chunks.expect(List.of(chunk(1), chunk(2)), 1_000);
    assertEquals(List.of(chunk(1), chunk(2)), chunks.overdue(PATIENCE, 1_100));
    assertTrue(chunks.isEmpty(), "they are asked for once");
  }

  /** A pause of the leader is not to make it send everything twice. */
  @Test
  void someAreAskedForAtATimeWhenNothingComes() {
    List<ChunkRef> many = LongStream.range(0, 40).mapToObj(ExpectedChunksTest::chunk).toList();
    chunks.expect(many, 1_000);
    assertEquals(many.subList(0, 16), chunks.overdue(PATIENCE, 1_100));
    assertEquals(List.of(), chunks.overdue(PATIENCE, 1_101), "the next ones after another pause");
    assertEquals(many.subList(16, 32), chunks.overdue(PATIENCE, 1_200));
  }

  @Test
  void oneThatALaterOneHasOvertakenIsLost() {
    chunks.expect(List.of(chunk(1), chunk(2), chunk(3)), 1_000);
    chunks.begun(hash(2), 1_005);
    assertEquals(List.of(), chunks.overdue(PATIENCE, 1_005), "packets overtake each other");
    assertEquals(List.of(chunk(1)), chunks.overdue(PATIENCE, 1_015));
    chunks.ended(hash(3), 1_020);
    assertEquals(List.of(), chunks.overdue(PATIENCE, 1_020));
    assertEquals(List.of(chunk(2)), chunks.overdue(PATIENCE, 1_030), "begun, and not complete");
  }

  /** Or an entry would wait for ever behind others that go on. */
  @Test
  void newOnesDoNotMakeAnOlderOneWaitLonger() {
    chunks.expect(List.of(chunk(1)), 1_000);
    for (int i = 2; i < 20; i++) {
      chunks.expect(List.of(chunk(i)), 1_000 + i);
    }
    assertEquals(chunk(1), chunks.overdue(PATIENCE, 1_100).getFirst());
  }

  @Test
  void nothingIsWaitedForLongerThanTheLimit() {
    chunks.expect(List.of(chunk(1), chunk(2)), 1_000);
    for (int now = 1_050; now < 2_000; now += 50) {
      chunks.begun(hash(1), now); // a symbol now and then, and never enough
      assertEquals(List.of(), chunks.overdue(PATIENCE, now));
    }
    chunks.begun(hash(1), 2_000);
    assertEquals(List.of(chunk(1), chunk(2)), chunks.overdue(PATIENCE, 2_000));
  }

  @Test
  void whatIsHereIsNotExpected() {
    chunks.expect(List.of(chunk(1)), 1_000);
    chunks.ended(hash(1), 1_001);
    assertEquals(List.of(), chunks.overdue(PATIENCE, 9_000));
    chunks.expect(List.of(chunk(2)), 9_000);
    chunks.clear();
    assertEquals(List.of(), chunks.overdue(PATIENCE, 99_000));
  }

  private static ChunkRef chunk(long number) {
    return new ChunkRef(hash(number), 9);
  }

  private static Hash hash(long number) {
    return new Hash(number, 0, 0, 0);
  }
}

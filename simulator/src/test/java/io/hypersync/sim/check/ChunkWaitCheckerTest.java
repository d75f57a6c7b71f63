package io.hypersync.sim.check;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * When a worker must have asked for what does not come, by decision 033; three ticks later at most.
 * Times are in milliseconds.
 */
class ChunkWaitCheckerTest {
  private static final long MS = 1_000_000;
  private static final long TICK = 20;
  private static final long RTT = 40;
  private static final long TICKS = 3 * TICK;
  private static final long SILENCE = RTT * 3 / 2 + 15;
  private static final long OVERTAKEN = RTT / 8 + 2;
  private static final long LONGEST = 3_000;

  private final ManualClock clock = new ManualClock();
  private final ChunkWaitChecker checker =
      new ChunkWaitChecker("w1", clock::monotonicNs, TICK * MS);

  ChunkWaitCheckerTest() {
    checker.measured(RTT * MS);
    pass(10_000);
  }

  @Test
  void silence() {
    sent(ChunkDelivery.DATAGRAMS, 1, 2);
    pass(SILENCE + TICKS);
    accepted();
    pass(1);
    refused("w1 waits for chunk " + chunk(1));
    refused("since " + (SILENCE + TICKS + 1) + " ms");
    refused("nothing has come for ");
  }

  @Test
  void whatHasBegunIsWaitedFor() {
    sent(ChunkDelivery.DATAGRAMS, 1);
    for (int i = 0; i < 10; i++) {
      pass(SILENCE);
      checker.arrived(symbol(chunk(1)));
      accepted();
    }
  }

  @Test
  void butNotForEver() {
    sent(ChunkDelivery.DATAGRAMS, 1);
    for (long ms = 0; ms < LONGEST + TICKS; ms += TICK) {
      checker.arrived(symbol(chunk(1)));
      pass(TICK);
      accepted();
    }
    checker.arrived(symbol(chunk(1)));
    pass(1);
    refused("whatever else has come");
  }

  @Test
  void aLaterOneHasBegun() {
    sent(ChunkDelivery.DATAGRAMS, 1, 2);
    checker.arrived(symbol(chunk(2)));
    pass(OVERTAKEN + TICKS);
    checker.arrived(symbol(chunk(2)));
    accepted();
    pass(1);
    refused(chunk(1) + " of entry 7");
    refused("a later one has begun");
  }

  @Test
  void anEarlierOneMayCome() {
    sent(ChunkDelivery.DATAGRAMS, 1, 2);
    for (int i = 0; i < 20; i++) {
      checker.arrived(symbol(chunk(1)));
      pass(TICK);
      accepted();
    }
  }

  @Test
  void onStreamsThereIsMoreTime() {
    sent(ChunkDelivery.STREAM, 1, 2);
    pass(1_000 + TICKS);
    accepted();
    pass(1);
    refused("on the stream");
  }

  @Test
  void nobodyWaitsForWhatIsHereOrAskedForOrApplied() {
    sent(ChunkDelivery.DATAGRAMS, 1, 2);
    sent(ChunkDelivery.ON_REQUEST, 3);
    checker.settled(chunk(1));
    checker.asked(chunk(2));
    pass(LONGEST * 2);
    accepted();
    sent(ChunkDelivery.DATAGRAMS, 4);
    pass(LONGEST * 2);
    checker.check(7);
    refused(chunk(4).toString());
    checker.disconnected();
    accepted();
  }

  /** It may have been asked for by an earlier entry, or a reader. */
  @Test
  void whatWasAskedForIsNotAskedForTwice() {
    checker.asked(chunk(1));
    sent(ChunkDelivery.DATAGRAMS, 1);
    pass(LONGEST * 2);
    accepted();
  }

  @Test
  void manyAreAskedForSixteenAtATime() {
    sent(ChunkDelivery.DATAGRAMS, IntStream.range(0, 160).toArray());
    pass(SILENCE + TICKS + 10 * TICK);
    accepted();
    pass(1);
    refused("nothing has come");
  }

  private void sent(ChunkDelivery delivery, int... chunks) {
    List<ChunkRef> refs =
        IntStream.of(chunks).mapToObj(number -> new ChunkRef(chunk(number), 9_000)).toList();
    FsOp write = new FsOp.Write(new NodeId(9, 9), WriteMode.PWRITE, 0, refs, false);
    checker.received(List.of(Entries.of(7, write).entry()), delivery, _ -> false);
  }

  private static Hash chunk(int number) {
    return new Hash(1, 1, 1, number);
  }

  private void pass(long ms) {
    clock.advance(ms * MS);
  }

  private void accepted() {
    checker.check(6);
  }

  private void refused(String why) {
    String message = assertThrows(Violation.class, () -> checker.check(6)).getMessage();
    assertTrue(message.contains(why), message);
  }

  private static ChunkSymbol symbol(Hash chunk) {
    return new ChunkSymbol(1, chunk, 100, 64, 0, new byte[64]);
  }
}

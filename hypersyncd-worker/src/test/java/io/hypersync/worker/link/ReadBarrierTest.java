package io.hypersync.worker.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which calls wait for what before they rely on what is visible here (hypersync.md 6.2). */
class ReadBarrierTest {
  private static final long STALE = 250;

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final List<String> ended = new ArrayList<>();
  private final ReadBarrier readBarrier = new ReadBarrier(link, STALE);

  @Test
  void outOfTouchNobodyWaits() {
    readBarrier.observed(5);
    readBarrier.whenFresh(0, 0, waiter("a"));
    readBarrier.whenCurrent(waiter("b"));
    assertEquals(List.of("a lost", "b lost"), ended);
    assertFalse(readBarrier.isFresh(5, 0));
  }

  @Test
  void inTouchOneWaitsForWhatIsKnownToBeCommitted() {
    inTouchAt(1_000, 7);
    assertTrue(readBarrier.isFresh(7, 1_000));
    assertFalse(readBarrier.isFresh(6, 1_000));
    readBarrier.whenFresh(7, 1_000, waiter("caught up"));
    readBarrier.whenFresh(5, 1_000, waiter("behind"));
    assertEquals(List.of("caught up fresh"), ended);
    readBarrier.observed(9);
    readBarrier.advance(6);
    assertEquals(1, readBarrier.waiting());
    readBarrier.advance(7);
    assertEquals(List.of("caught up fresh", "behind fresh"), ended, "what came later is no matter");
    assertEquals(List.of(), link.sent);
  }

  @Test
  void aSilentLeaderIsAskedOnceForAllWhoCameSince() {
    inTouchAt(1_000, 7);
    assertFalse(readBarrier.isFresh(7, 1_000 + STALE));
    readBarrier.whenFresh(7, 1_000 + STALE, waiter("a"));
    readBarrier.whenFresh(7, 1_000 + STALE, waiter("b"));
    assertEquals(List.of(), link.sent, "not before the turn ends");
    readBarrier.advance(7);
    readBarrier.whenFresh(7, 1_001 + STALE, waiter("late"));
    readBarrier.advance(7);
    assertEquals(List.of(new BarrierRequest(1), new BarrierRequest(2)), link.sent);
    readBarrier.answered(1, 8, 7);
    assertEquals(List.of(), ended);
    readBarrier.advance(8);
    assertEquals(List.of("a fresh", "b fresh"), ended);
    readBarrier.answered(2, 8, 8);
    assertEquals(List.of("a fresh", "b fresh", "late fresh"), ended);
  }

  @Test
  void whoWantsTheCurrentStateAlwaysAsks() {
    inTouchAt(1_000, 7);
    readBarrier.whenCurrent(waiter("a"));
    readBarrier.advance(7);
    assertEquals(List.of(new BarrierRequest(1)), link.sent);
    readBarrier.answered(1, 7, 7);
    assertEquals(List.of("a fresh"), ended);
  }

  @Test
  void whoWaitsIsToldThatTheLeaderIsLost() {
    inTouchAt(1_000, 7);
    readBarrier.whenFresh(5, 1_000, waiter("reaching"));
    readBarrier.whenCurrent(waiter("asking"));
    readBarrier.lost();
    assertEquals(List.of("reaching lost", "asking lost"), ended);
    assertEquals(0, readBarrier.waiting());
  }

  private void inTouchAt(long nowNs, long index) {
    readBarrier.heard(nowNs);
    readBarrier.observed(index);
    readBarrier.live();
  }

  @Test
  void whoGetsASignalWaitsNoLonger() {
    inTouchAt(1_000, 7);
    readBarrier.whenFresh(5, 1_000, waiter("reaching"));
    readBarrier.whenFresh(5, 1_000, waiter("too"));
    readBarrier.whenCurrent(waiter("asking"));
    assertFalse(readBarrier.interrupt(id("nobody")));
    assertTrue(readBarrier.interrupt(id("asking")));
    assertTrue(readBarrier.interrupt(id("reaching")));
    assertEquals(List.of("asking interrupted", "reaching interrupted"), ended);
    assertFalse(readBarrier.interrupt(id("reaching")), "only once");
    assertEquals(1, readBarrier.waiting());
    readBarrier.advance(7);
    assertEquals(List.of("asking interrupted", "reaching interrupted", "too fresh"), ended);
  }

  private static RequestId id(String name) {
    return new RequestId(name.hashCode());
  }

  private ReadBarrier.Waiter waiter(String name) {
    return new ReadBarrier.Waiter() {
      @Override
      public RequestId unique() {
        return id(name);
      }

      @Override
      public void interrupted() {
        ended.add(name + " interrupted");
      }

      @Override
      public void fresh() {
        ended.add(name + " fresh");
      }

      @Override
      public void leaderLost() {
        ended.add(name + " lost");
      }
    };
  }
}

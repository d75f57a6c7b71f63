package io.hypersync.worker.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.worker.port.LeaderLink;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which calls wait for what before they rely on what is visible here (hypersync.md 6.2). */
class FreshnessTest {
  private static final long STALE = 250;

  private final List<WorkerMessage> sent = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final Freshness freshness =
      new Freshness(
          new LeaderLink() {
            @Override
            public void connect() {}

            @Override
            public void send(WorkerMessage message) {
              sent.add(message);
            }

            @Override
            public void flush() {}

            @Override
            public void disconnect() {}
          },
          STALE);

  @Test
  void outOfTouchNobodyWaits() {
    freshness.observed(5);
    freshness.whenFresh(0, 0, waiter("a"));
    freshness.whenCurrent(waiter("b"));
    assertEquals(List.of("a lost", "b lost"), ended);
    assertFalse(freshness.isFresh(5, 0));
  }

  @Test
  void inTouchOneWaitsForWhatIsKnownToBeCommitted() {
    inTouchAt(1_000, 7);
    assertTrue(freshness.isFresh(7, 1_000));
    assertFalse(freshness.isFresh(6, 1_000));
    freshness.whenFresh(7, 1_000, waiter("caught up"));
    freshness.whenFresh(5, 1_000, waiter("behind"));
    assertEquals(List.of("caught up fresh"), ended);
    freshness.observed(9);
    freshness.advance(6);
    assertEquals(1, freshness.waiting());
    freshness.advance(7);
    assertEquals(List.of("caught up fresh", "behind fresh"), ended, "what came later is no matter");
    assertEquals(List.of(), sent);
  }

  @Test
  void aSilentLeaderIsAskedOnceForAllWhoCameSince() {
    inTouchAt(1_000, 7);
    assertFalse(freshness.isFresh(7, 1_000 + STALE));
    freshness.whenFresh(7, 1_000 + STALE, waiter("a"));
    freshness.whenFresh(7, 1_000 + STALE, waiter("b"));
    assertEquals(List.of(), sent, "not before the turn ends");
    freshness.advance(7);
    freshness.whenFresh(7, 1_001 + STALE, waiter("late"));
    freshness.advance(7);
    assertEquals(List.of(new BarrierRequest(1), new BarrierRequest(2)), sent);
    freshness.answered(1, 8, 7);
    assertEquals(List.of(), ended);
    freshness.advance(8);
    assertEquals(List.of("a fresh", "b fresh"), ended);
    freshness.answered(2, 8, 8);
    assertEquals(List.of("a fresh", "b fresh", "late fresh"), ended);
  }

  @Test
  void whoWantsTheCurrentStateAlwaysAsks() {
    inTouchAt(1_000, 7);
    freshness.whenCurrent(waiter("a"));
    freshness.advance(7);
    assertEquals(List.of(new BarrierRequest(1)), sent);
    freshness.answered(1, 7, 7);
    assertEquals(List.of("a fresh"), ended);
  }

  @Test
  void whoWaitsIsToldThatTheLeaderIsLost() {
    inTouchAt(1_000, 7);
    freshness.whenFresh(5, 1_000, waiter("reaching"));
    freshness.whenCurrent(waiter("asking"));
    freshness.lost();
    assertEquals(List.of("reaching lost", "asking lost"), ended);
    assertEquals(0, freshness.waiting());
  }

  private void inTouchAt(long nowNs, long index) {
    freshness.heard(nowNs);
    freshness.observed(index);
    freshness.live();
  }

  @Test
  void whoGetsASignalWaitsNoLonger() {
    inTouchAt(1_000, 7);
    freshness.whenFresh(5, 1_000, waiter("reaching"));
    freshness.whenFresh(5, 1_000, waiter("too"));
    freshness.whenCurrent(waiter("asking"));
    assertFalse(freshness.interrupt("nobody".hashCode()));
    assertTrue(freshness.interrupt("asking".hashCode()));
    assertTrue(freshness.interrupt("reaching".hashCode()));
    assertEquals(List.of("asking interrupted", "reaching interrupted"), ended);
    assertFalse(freshness.interrupt("reaching".hashCode()), "only once");
    assertEquals(1, freshness.waiting());
    freshness.advance(7);
    assertEquals(List.of("asking interrupted", "reaching interrupted", "too fresh"), ended);
  }

  private Freshness.Waiter waiter(String name) {
    return new Freshness.Waiter() {
      @Override
      public long unique() {
        return name.hashCode();
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

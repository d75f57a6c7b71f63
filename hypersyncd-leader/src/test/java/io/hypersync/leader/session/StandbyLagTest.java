package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** For how long a standby has not had on its disk what was durable here. */
final class StandbyLagTest {
  private final StandbyLag lag = new StandbyLag();

  @Test
  void whoHasAllIsNotBehind() {
    lag.reported(7, 7, 100);
    assertEquals(0, lag.ns(5_000));
  }

  @Test
  void whoHasNotIsBehindSinceThatWasDurable() {
    lag.reported(7, 7, 100);
    lag.reported(7, 9, 200); // the goal was reached: now it is 9
    assertEquals(50, lag.ns(250));
    lag.reported(8, 20, 300);
    assertEquals(200, lag.ns(400), "still on its way to 9");
    lag.reported(9, 20, 500);
    assertEquals(10, lag.ns(510), "from then on to 20");
    lag.reported(20, 20, 600);
    assertEquals(0, lag.ns(9_000));
  }

  @Test
  void whoIsNotCompleteIsBehindFromTheBeginning() {
    lag.reported(0, 9, 100);
    lag.reported(0, 12, 200);
    assertEquals(200, lag.ns(300));
  }
}

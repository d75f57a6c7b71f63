package io.hypersync.leader.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Agents that were placed count until they show, or for ten minutes. */
class PromisedAgentsTest {
  private static final long MINUTE_NS = 60_000_000_000L;

  private final PromisedAgents agents = new PromisedAgents();

  @Test
  void thoseThatShowCountOnce() {
    agents.reported(3, 0);
    agents.promise(0);
    agents.promise(0);
    assertEquals(5, agents.agents(0));
    agents.reported(4, 1);
    assertEquals(5, agents.agents(1));
    agents.reported(9, 2);
    assertEquals(9, agents.agents(2));
  }

  @Test
  void thoseThatLeaveMakeRoomAndNoPromiseComesTrueByThat() {
    agents.reported(3, 0);
    agents.promise(0);
    agents.reported(1, 1);
    assertEquals(2, agents.agents(1));
    agents.reported(2, 2);
    assertEquals(2, agents.agents(2));
  }

  @Test
  void promisesEndAfterTenMinutes() {
    for (int minute = 0; minute < 30; minute++) {
      agents.promise(minute * MINUTE_NS);
    }
    assertEquals(10, agents.agents(29 * MINUTE_NS));
    assertEquals(0, agents.agents(39 * MINUTE_NS));
  }
}

package io.hypersync.worker.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of the agents that were seen lately. */
final class RecentAgentsTest {
  private final RecentAgents recent = new RecentAgents(2);

  @Test
  void whoWasSeenLastComesFirst() {
    recent.note("Lake", 1);
    recent.note("River", 2);
    recent.note("Lake", 3);
    assertEquals(
        List.of(new RecentAgents.Seen("Lake", 2, 3), new RecentAgents.Seen("River", 1, 2)),
        recent.list());
  }

  @Test
  void whoWasNotSeenForTheLongestGoes() {
    recent.note("Lake", 1);
    recent.note("River", 2);
    recent.note("Lake", 3);
    recent.note("Hill", 4);
    assertEquals(
        List.of("Hill", "Lake"), recent.list().stream().map(RecentAgents.Seen::name).toList());
  }

  @Test
  void callsWithoutANameAreCounted() {
    recent.note("", 1);
    recent.note("", 2);
    assertEquals(List.of(), recent.list());
    assertEquals(2, recent.unnamed());
  }

  @Test
  void anAgentIsKnownInEitherCase() {
    recent.note("Lake", 1);
    assertTrue(recent.has("Lake") && recent.has("lAKE"));
    assertFalse(recent.has("Lak") || recent.has(""));
  }
}

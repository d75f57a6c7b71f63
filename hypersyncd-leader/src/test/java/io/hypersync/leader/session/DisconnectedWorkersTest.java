package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.session.DisconnectedWorkers.Absence;
import io.hypersync.leader.session.DisconnectedWorkers.Kind;
import io.hypersync.model.id.WorkerId;
import org.junit.jupiter.api.Test;

/** Absent workers are remembered, up to a bound. */
class DisconnectedWorkersTest {
  private static final WorkerId W = new WorkerId("w1");

  private final DisconnectedWorkers disconnected = new DisconnectedWorkers();

  @Test
  void whoHasLeftIsListedUntilHeIsBack() {
    disconnected.established(W);
    var _ = disconnected.add(W, Kind.LEFT, "a:1", "timeout", 7, 100);
    assertEquals(new Absence(W, Kind.LEFT, "a:1", "timeout", 100, 100, 1, 7), only());
    disconnected.established(W);
    assertTrue(disconnected.newestFirst().isEmpty());
    assertEquals(2, disconnected.sessionsEstablished());
  }

  @Test
  void aRefusalThatGoesOnIsCountedAndKeepsItsBeginning() {
    var _ = disconnected.add(W, Kind.DUPLICATE, "a:1", "elsewhere", 0, 100);
    assertEquals(2, disconnected.add(W, Kind.DUPLICATE, "a:2", "elsewhere", 0, 900).times());
    assertEquals(100, only().sinceNs());
    assertEquals(900, only().lastNs());
    assertEquals(1, disconnected.add(W, Kind.DIVERGED, "a:2", "other log", 0, 1000).times());
    assertEquals(1000, only().sinceNs());
  }

  @Test
  void onlyTheNewestAreRemembered() {
    for (int i = 0; i < 10_000; i++) {
      var _ = disconnected.add(new WorkerId("w" + i), Kind.REFUSED, "a", "x".repeat(10_000), 0, i);
    }
    assertEquals(DisconnectedWorkers.MAX, disconnected.newestFirst().size());
    assertEquals(new WorkerId("w9999"), disconnected.newestFirst().getFirst().worker());
    assertTrue(disconnected.newestFirst().getFirst().reason().length() <= 300);
  }

  private Absence only() {
    assertEquals(1, disconnected.newestFirst().size());
    return disconnected.newestFirst().getFirst();
  }
}

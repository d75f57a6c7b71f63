package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.session.AbsentWorkers.Absence;
import io.hypersync.leader.session.AbsentWorkers.Kind;
import io.hypersync.model.id.WorkerId;
import org.junit.jupiter.api.Test;

/** Absent workers are remembered, up to a bound. */
class AbsentWorkersTest {
  private static final WorkerId W = new WorkerId("w1");

  private final AbsentWorkers absent = new AbsentWorkers();

  @Test
  void whoHasLeftIsListedUntilHeIsBack() {
    absent.greeted(W);
    var _ = absent.add(W, Kind.LEFT, "a:1", "timeout", 7, 100);
    assertEquals(new Absence(W, Kind.LEFT, "a:1", "timeout", 100, 100, 1, 7), only());
    absent.greeted(W);
    assertTrue(absent.newestFirst().isEmpty());
    assertEquals(2, absent.everGreeted());
  }

  @Test
  void aRefusalThatGoesOnIsCountedAndKeepsItsBeginning() {
    var _ = absent.add(W, Kind.DUPLICATE, "a:1", "elsewhere", 0, 100);
    assertEquals(2, absent.add(W, Kind.DUPLICATE, "a:2", "elsewhere", 0, 900).times());
    assertEquals(100, only().sinceNs());
    assertEquals(900, only().lastNs());
    assertEquals(1, absent.add(W, Kind.DIVERGED, "a:2", "other log", 0, 1000).times());
    assertEquals(1000, only().sinceNs());
  }

  @Test
  void onlyTheNewestAreRemembered() {
    for (int i = 0; i < 10_000; i++) {
      var _ = absent.add(new WorkerId("w" + i), Kind.REFUSED, "a", "x".repeat(10_000), 0, i);
    }
    assertEquals(AbsentWorkers.MAX, absent.newestFirst().size());
    assertEquals(new WorkerId("w9999"), absent.newestFirst().getFirst().worker());
    assertTrue(absent.newestFirst().getFirst().reason().length() <= 300);
  }

  private Absence only() {
    assertEquals(1, absent.newestFirst().size());
    return absent.newestFirst().getFirst();
  }
}

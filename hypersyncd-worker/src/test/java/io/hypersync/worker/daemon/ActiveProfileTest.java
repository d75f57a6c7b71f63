package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.model.state.FsState;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Only one profile runs at a time, and it ends when its client is gone. */
class ActiveProfileTest {
  private static final FsState STATE = FsState.genesis();

  private final ManualClock clock = new ManualClock();
  private final ActiveProfile activeProfile = new ActiveProfile(clock);

  @Test
  void thereIsOneAtATime() {
    long first = start();
    assertNotEquals(ActiveProfile.NONE, first);
    assertEquals(ActiveProfile.NONE, start());
    assertNotNull(activeProfile.stop(first, STATE));
    long second = start();
    assertNotEquals(first, second);
    assertNull(activeProfile.stop(first, STATE), "it has ended, and another one is not his");
    assertNotNull(activeProfile.stop(second, STATE));
  }

  @Test
  void itLastsAsLongAsItIsAskedFor() {
    long id = start();
    for (int i = 0; i < 5; i++) {
      clock.advance(ActiveProfile.LEASE_NS);
      assertTrue(activeProfile.keep(id), "in time");
    }
    clock.advance(ActiveProfile.LEASE_NS + 1);
    assertFalse(activeProfile.keep(id), "too late");
    assertNull(activeProfile.stop(id, STATE));
    assertNotEquals(ActiveProfile.NONE, start(), "the next one may begin");
  }

  private long start() {
    return activeProfile.start(STATE, Map.of(), 0);
  }
}

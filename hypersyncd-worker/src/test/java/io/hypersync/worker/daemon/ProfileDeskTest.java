package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.state.FsState;
import io.hypersync.worker.SetClock;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Only one profile runs at a time, and it ends when its client is gone. */
class ProfileDeskTest {
  private static final FsState STATE = FsState.genesis();

  private final SetClock clock = new SetClock();
  private final ProfileDesk desk = new ProfileDesk(clock);

  @Test
  void thereIsOneAtATime() {
    long first = start();
    assertNotEquals(ProfileDesk.NONE, first);
    assertEquals(ProfileDesk.NONE, start());
    assertNotNull(desk.stop(first, STATE));
    long second = start();
    assertNotEquals(first, second);
    assertNull(desk.stop(first, STATE), "it has ended, and another one is not his");
    assertNotNull(desk.stop(second, STATE));
  }

  @Test
  void itLastsAsLongAsItIsAskedFor() {
    long id = start();
    for (int i = 0; i < 5; i++) {
      clock.ns += ProfileDesk.LEASE_NS;
      assertTrue(desk.keep(id), "in time");
    }
    clock.ns += ProfileDesk.LEASE_NS + 1;
    assertFalse(desk.keep(id), "too late");
    assertNull(desk.stop(id, STATE));
    assertNotEquals(ProfileDesk.NONE, start(), "the next one may begin");
  }

  private long start() {
    return desk.start(STATE, Map.of(), 0);
  }
}

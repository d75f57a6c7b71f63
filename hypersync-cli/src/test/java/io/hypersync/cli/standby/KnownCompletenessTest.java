package io.hypersync.cli.standby;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.fixtures.ManualClock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How often the agent is asked, and what is said meanwhile. */
final class KnownCompletenessTest {
  private final ManualClock clock = new ManualClock(1_000);
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicBoolean complete = new AtomicBoolean(true);
  private final KnownCompleteness known =
      new KnownCompleteness(
          () -> {
            asked.incrementAndGet();
            return complete.get();
          },
          clock);

  private static ObjectNode figures() {
    return JsonNodeFactory.instance.objectNode().put("backfill_running", false).putNull("install");
  }

  @Test
  void theAgentIsAskedOnceInTenSeconds() {
    for (int i = 0; i < 20; i++) {
      assertTrue(known.lately(figures()));
      clock.advance(KnownCompleteness.FRESH.toNanos() / 10);
    }
    assertEquals(2, asked.get());
    complete.set(false);
    assertFalse(known.lately(figures()));
  }

  @Test
  void whileSomethingIsFetchedItIsNotAskedAndAtOnceAfterwards() {
    assertTrue(known.lately(figures()));
    assertFalse(known.lately(figures().put("backfill_running", true)));
    ObjectNode installing = figures();
    installing.putObject("install");
    assertFalse(known.lately(installing));
    assertEquals(1, asked.get());
    assertTrue(known.lately(figures()));
    assertEquals(2, asked.get());
  }

  @Test
  void statusAlwaysAsks() {
    assertTrue(known.now());
    complete.set(false);
    assertFalse(known.now());
    assertFalse(known.lately(figures()));
    assertEquals(2, asked.get());
  }
}

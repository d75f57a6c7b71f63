package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A report of what unauthenticated peers cost")
final class FloodReportTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final Load LOAD = new Load(Figures.MACHINE, 0, 0);

  /**
   * A round in which each p99 is three times the given p50, and made-up packets cost twice as much
   * as copies.
   */
  private static FloodRound round(long quietUs, long floodedUs, long packets) {
    return new FloodRound(
        Figures.hypersync(Operation.MKDIR, 1, 1_000, quietUs),
        turn(floodedUs, packets, 3_000),
        turn(2 * floodedUs, packets, 9_000));
  }

  private static FloodTurn turn(long us, long packets, long asked) {
    return new FloodTurn(
        Figures.hypersync(Operation.MKDIR, 1, 1_000, us),
        packets,
        2 * SECOND_NS,
        handshakes(100),
        handshakes(100 + asked));
  }

  private static JsonNode handshakes(long asked) {
    return JsonNodeFactory.instance.objectNode().put("asked", asked).put("begun", 16);
  }

  private static SuiteResult report(FloodRound... rounds) {
    return FloodReport.of(LOAD, new Workers(1), List.of(rounds));
  }

  private static boolean met(SuiteResult findings) {
    return findings.json().at("/aims/0/met").asBoolean();
  }

  @Test
  @DisplayName("takes the median of the rounds, and says how far they lie apart")
  void spread() {
    SuiteResult found =
        report(round(500, 600, 10_000), round(500, 1_500, 10_000), round(500, 650, 10_000));
    assertTrue(met(found), found::text);
    assertEquals(
        "{\"median\":1.3,\"lowest\":1.2,\"highest\":3.0}",
        found.json().at("/flood/copies/times_p99").toString());
    assertEquals(
        "{\"median\":2.6,\"lowest\":2.4,\"highest\":6.0}",
        found.json().at("/flood/made_up/times_p99").toString());
    assertFalse(found.json().at("/aims/1/met").asBoolean(), "of the kind that costs more");
    assertEquals(5_000, found.json().at("/flood/copies/packets_per_s").asLong());
    assertEquals(9_000, found.json().at("/flood/copies/asked").asLong());
    assertEquals(27_000, found.json().at("/flood/made_up/asked").asLong());
    assertEquals(0, found.json().at("/flood/copies/begun").asLong());
    assertEquals(1_800, found.json().at("/rows/0/copies/p99_us").asDouble());
    assertEquals(3_600, found.json().at("/rows/0/made_up/p99_us").asDouble());
    assertTrue(found.text().contains("p99 1.30 (1.20 to 3.00)"), found::text);
    assertTrue(found.text().contains("0 begun, 27,000 asked"), found::text);
    assertTrue(found.rows().isEmpty());
  }

  @Test
  @DisplayName("does not take an aim for met that is missed, or that fewer packets have met")
  void aim() {
    assertFalse(met(report(round(500, 750, 10_000))), "exactly 1.5 times");
    assertFalse(met(report(round(500, 600, 9_000))), "too few packets");
    assertTrue(met(report(round(500, 600, 10_000), round(500, 800, 10_000))), "1.4 in the middle");
  }
}

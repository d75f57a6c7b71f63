package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A report of what strangers cost")
final class FloodReportTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final Load LOAD = new Load(Figures.MACHINE, 0, 0);

  /** With p99 of three times these medians. */
  private static FloodRound round(long quietUs, long floodedUs, long packets) {
    return new FloodRound(
        Figures.hypersync(Operation.MKDIR, 1, 1_000, quietUs),
        Figures.hypersync(Operation.MKDIR, 1, 1_000, floodedUs),
        packets,
        2 * SECOND_NS);
  }

  private static JsonNode handshakes(long asked) {
    return JsonNodeFactory.instance.objectNode().put("asked", asked).put("begun", 16);
  }

  private static Findings report(FloodRound... rounds) {
    return FloodReport.of(
        LOAD, new Workers(1), List.of(rounds), handshakes(100), handshakes(9_100));
  }

  private static boolean met(Findings findings) {
    return findings.json().at("/aims/0/met").asBoolean();
  }

  @Test
  @DisplayName("takes the median of the rounds, and says how far they lie apart")
  void spread() {
    Findings found =
        report(round(500, 600, 10_000), round(500, 1_500, 10_000), round(500, 650, 10_000));
    assertTrue(met(found), found::text);
    assertEquals(
        "{\"median\":1.3,\"lowest\":1.2,\"highest\":3.0}",
        found.json().at("/flood/times_p99").toString());
    assertEquals(5_000, found.json().at("/flood/packets_per_s").asLong());
    assertEquals(9_000, found.json().at("/flood/asked").asLong());
    assertEquals(0, found.json().at("/flood/begun").asLong());
    assertEquals(1_800, found.json().at("/rows/0/flooded/p99_us").asDouble());
    assertTrue(found.text().contains("p99 1.30 (1.20 to 3.00)"), found::text);
    assertTrue(found.text().contains("0 begun, 9,000 asked"), found::text);
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

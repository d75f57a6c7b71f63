package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A report of what grows with the number of entries")
final class GrowthReportTest {
  private static final Load LOAD = new Load(Figures.MACHINE, 0, 0);
  private static final long MIB = 1 << 20;
  private static final long SECOND_NS = 1_000_000_000L;

  /** All figures of a daemon, with these chunks, intents, memory and time of each start. */
  private static GrowthPoint.Daemon daemon(
      long chunksMib, long intentsMib, long residentMib, long startS) {
    ResidentMemory memory = new ResidentMemory(residentMib * MIB, residentMib * MIB / 2);
    Restart restart = new Restart(startS * SECOND_NS, startS * SECOND_NS, memory);
    TreeMap<String, Long> parts = new TreeMap<>();
    parts.put("chunks", chunksMib * MIB);
    parts.put("intents", intentsMib * MIB);
    return new GrowthPoint.Daemon(new StateDisk(parts), memory, restart, restart);
  }

  private static GrowthPoint point(long entries, GrowthPoint.Daemon leader) {
    return new GrowthPoint(entries, 1_000, 14 * MIB, leader, daemon(100, 0, 300, 2));
  }

  private static List<String> grown(GrowthPoint... points) {
    SuiteResult found = GrowthReport.of(LOAD, List.of(points));
    List<String> grown = new ArrayList<>();
    for (JsonNode row : found.json().path("rows")) {
      if (!row.path("flat").asBoolean()) {
        grown.add(row.path("figure").asText());
      }
    }
    for (JsonNode aim : found.json().path("aims")) {
      assertEquals(!aim.path("met").asBoolean(), grown.contains(aim.path("aim").asText()));
    }
    return grown;
  }

  @Test
  @DisplayName("takes for flat what is at most 1.3 times the first figure and an allowance")
  void flat() {
    GrowthPoint few = point(100_000, daemon(1_000, 10, 300, 2));
    assertEquals(List.of(), grown(few, point(1_000_000, daemon(1_450, 100, 480, 3))));
    assertEquals(List.of("leader_disk"), grown(few, point(1_000_000, daemon(1_460, 100, 300, 2))));
    assertEquals(
        List.of("leader_resident", "leader_restarted_resident"),
        grown(few, point(1_000_000, daemon(1_000, 100, 490, 2))));
    assertEquals(
        List.of(
            "leader_stopped_wall", "leader_stopped_cpu", "leader_killed_wall", "leader_killed_cpu"),
        grown(few, point(1_000_000, daemon(1_000, 100, 300, 4))));
  }

  @Test
  @DisplayName("judges intents by themselves, because those of a day must be remembered")
  void intents() {
    GrowthPoint few = point(100_000, daemon(1_000, 10, 300, 2));
    assertEquals(List.of(), grown(few, point(1_000_000, daemon(1_000, 135, 300, 2))));
    assertEquals(
        List.of("leader_intents"), grown(few, point(1_000_000, daemon(1_000, 140, 300, 2))));
  }

  @Test
  @DisplayName("looks at the last figure, and shows all of them with what is on the disk")
  void shown() {
    SuiteResult found =
        GrowthReport.of(
            LOAD,
            List.of(
                point(3_000, daemon(100, 1, 300, 2)),
                point(9_000, daemon(2_000, 1, 300, 2)),
                point(30_000, daemon(200, 1, 300, 2))));
    JsonNode disk = found.json().at("/rows/0");
    assertEquals("leader_disk", disk.path("figure").asText());
    assertEquals("[100.0,2000.0,200.0]", disk.path("at").toString());
    assertTrue(disk.path("flat").asBoolean());
    assertEquals(2_000 * MIB, found.json().at("/points/1/leader_bytes/chunks").asLong());
    assertTrue(found.text().contains("leader: chunks"), found::text);
    assertTrue(found.text().contains("30,000"), found::text);
    assertFalse(found.text().contains("not met"), found::text);
  }
}

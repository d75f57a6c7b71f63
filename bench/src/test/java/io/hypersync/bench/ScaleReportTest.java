package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A report of what many files cost")
final class ScaleReportTest {
  private static final Load LOAD = new Load(Figures.MACHINE, 0, 0);
  private static final long MIB = 1 << 20;
  private static final long MS = 1_000_000;
  private static final long FILES = 1 << 20;

  private static ResidentMemory memory(long mib) {
    return new ResidentMemory(mib * MIB, mib * MIB);
  }

  private static Restart restart(long ms) {
    return new Restart(ms * MS, ms * MS, memory(200));
  }

  private static ScaleFound.Side side(long emptyMs, long ms) {
    return new ScaleFound.Side(
        restart(emptyMs), restart(emptyMs), restart(ms), restart(ms), memory(500), memory(400));
  }

  private static FirstList list(long listedMs, long caughtUpMs) {
    return new FirstList(0, listedMs * MS, 0, caughtUpMs * MS, 5_000_000, memory(300));
  }

  private static SnapshotCost snapshot(long cpuMs, long mib) {
    return new SnapshotCost(5_000 * MS, cpuMs * MS, mib * MIB, 1_000);
  }

  private static SuiteResult report(
      ScaleFound.Side now, SnapshotCost snapshot, List<Double> writers, FirstList full) {
    return ScaleReport.of(
        LOAD,
        new ScaleFound(
            FILES,
            60_000 * MS,
            5_000_000,
            now,
            now.leader(),
            Optional.of(side(2_000, 9_000)),
            List.of(snapshot(10, 1), snapshot),
            writers,
            list(1_500, 1_600),
            full));
  }

  private static List<String> missed(SuiteResult found) {
    List<String> missed = new ArrayList<>();
    for (JsonNode aim : found.json().path("aims")) {
      if (!aim.path("met").asBoolean()) {
        missed.add(aim.path("aim").asText());
      }
    }
    return missed;
  }

  @Test
  @DisplayName("judges snapshots, starts and new workers beside the empty workspace")
  void aims() {
    SnapshotCost small = snapshot(900, 15);
    List<Double> even = List.of(0.5, 1.2, 9.0);
    assertEquals(List.of(), missed(report(side(2_000, 3_500), small, even, list(3_000, 9_900))));
    assertEquals(
        List.of("snapshot_work", "snapshot_bytes"),
        missed(report(side(2_000, 3_500), snapshot(1_000, 16), even, list(3_000, 9_900))));
    assertEquals(
        List.of("snapshot_writers_p99", "leader_restart", "leader_late_restart"),
        missed(report(side(2_000, 3_510), small, List.of(0.5, 1.3, 9.0), list(3_000, 9_900))));
    assertEquals(
        List.of("first_list", "catch_up"),
        missed(report(side(2_000, 3_500), small, even, list(3_010, 10_000))));
  }

  @Test
  @DisplayName("tells memory by file, and the version before beside the present one")
  void rows() {
    SuiteResult found =
        report(side(2_000, 3_500), snapshot(900, 15), List.of(1.0), list(3_000, 9_900));
    assertEquals(4, found.json().path("rows").size());
    JsonNode leader = found.json().at("/rows/0");
    assertEquals("leader", leader.path("daemon").asText());
    assertEquals(300, leader.path("bytes_per_file").asLong());
    JsonNode before = found.json().at("/rows/2");
    assertEquals("leader, before", before.path("daemon").asText());
    assertEquals(9_000, before.path("start_ms").asLong());
    assertTrue(found.text().contains("leader, before"), found::text);
    assertTrue(found.text().contains("over 5,000,000 entries"), found::text);
  }
}

package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.bench.baseline.Row;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class JobReportTest {
  private static final long S = 1_000_000_000L;
  private static final Load LOAD = new Load(Figures.MACHINE, 0.5, 1.5);

  private static final List<JobDurations> TIMES =
      List.of(
          new JobDurations(
              Job.CLONE,
              Map.of(
                  MeasuredFilesystem.Kind.HYPERSYNC,
                  6 * S,
                  MeasuredFilesystem.Kind.DIRSYNC,
                  4 * S,
                  MeasuredFilesystem.Kind.PEER,
                  12 * S)),
          new JobDurations(
              Job.GREP,
              Map.of(
                  MeasuredFilesystem.Kind.HYPERSYNC,
                  S / 2,
                  MeasuredFilesystem.Kind.BINDFS,
                  S,
                  MeasuredFilesystem.Kind.PEER,
                  S)),
          new JobDurations(
              Job.LARGE_READ_WARM,
              Map.of(MeasuredFilesystem.Kind.HYPERSYNC, S, MeasuredFilesystem.Kind.PLAIN, S)));

  private final SuiteResult findings =
      JobReport.of(LOAD, new Workers(1), TIMES, List.of("bindfs is left out: why"));

  @Test
  void eachJobIsHeldAgainstItsReference() {
    assertEquals(
        List.of(
            new Row("clone", "dirsync", 1.5),
            new Row("grep", "bindfs", 0.5),
            new Row("large-read-warm", "plain", 1)),
        findings.rows());
  }

  @Test
  void anAimIsMetOrNot() {
    assertEquals(
        Map.of(
            "clone_beside_dirsync", false,
            "clone_beside_peer", true,
            "grep_beside_bindfs", true,
            "large-read-warm_beside_plain", true),
        findings
            .json()
            .path("aims")
            .valueStream()
            .collect(
                Collectors.toMap(
                    aim -> aim.path("aim").asText(), aim -> aim.path("met").asBoolean())));
  }

  @Test
  void peopleAndProgramsAreToldTheSame() {
    assertEquals(1, findings.json().path("workers").asInt());
    assertEquals(6000, findings.json().path("rows").path(0).path("hypersync_ms").asDouble());
    assertEquals(1.5, findings.json().path("rows").path(0).path("times_dirsync").asDouble());
    for (String part :
        List.of(
            "a leader and a worker;",
            "6.000",
            "1.5x",
            "0.5x",
            "bindfs is left out",
            "not met  git clone")) {
      assertTrue(findings.text().contains(part), () -> part + " in\n" + findings.text());
    }
  }
}

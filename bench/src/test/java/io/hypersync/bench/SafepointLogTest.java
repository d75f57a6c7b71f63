package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The log of safepoints")
final class SafepointLogTest {
  /** Output of JDK 25.0.3 with G1. */
  private static final String BEGINNING =
      """
      [0.755s] VM Operation                 [ threads: total initial_running ][ time:       sync    vmop      total ] page_trap_count
      [0.755s] G1CollectForAllocation       [             10               0 ][             5969   10657065   10663034 ]               0
      [0.755s] Safepoint "G1CollectForAllocation", Time since last: 716221577 ns, Reaching safepoint: 5969 ns, At safepoint: 10633310 ns, Leaving safepoint: 23755 ns, Total: 10663034 ns, Threads: 0 runnable, 10 total
      [1.874s] ThreadDump                   [             10               0 ][           826538      88752     915290 ]               0
      """;

  private static final String REST =
      """
      [1.874s] Safepoint "ThreadDump", Time since last: 15041 ns, Reaching safepoint: 826538 ns, At safepoint: 80000 ns, Leaving safepoint: 8752 ns, Total: 915290 ns, Threads: 1 runnable, 10 total
      [1.879s] G1CollectForAllocation             115
      [1.879s] Maximum sync time  58526961 ns
      [1.879s] Maximum vm operation time (except for Exit VM operation)  15251787 ns
      """;

  @TempDir private Path folder;

  @Test
  @DisplayName("tells from the moment threads are asked to stop until they go, once for each pause")
  void wholeLog() throws IOException {
    SafepointLog log = new SafepointLog(Files.writeString(folder.resolve("log"), BEGINNING + REST));
    assertEquals(List.of(10_663_034L, 915_290L), log.pausesNs(0, log.length()));
  }

  @Test
  @DisplayName("tells of a phase what was written in it")
  void phase() throws IOException {
    SafepointLog log = new SafepointLog(Files.writeString(folder.resolve("log"), BEGINNING));
    long before = log.length();
    Files.writeString(log.file(), REST, StandardOpenOption.APPEND);
    long after = log.length();
    Files.writeString(log.file(), BEGINNING, StandardOpenOption.APPEND);
    assertEquals(List.of(915_290L), log.pausesNs(before, after));
    assertEquals(List.of(), log.pausesNs(after, after));
  }

  @Test
  @DisplayName("that has no pause at all is one that is not understood, not a daemon without any")
  void notUnderstood() throws IOException {
    SafepointLog log = new SafepointLog(folder.resolve("log"));
    assertThrows(UserError.class, log::length);
    Files.writeString(log.file(), "[1.874s] Safepoint took 12 ms\n");
    assertThrows(UserError.class, log::length);
    assertEquals(OptionalLong.empty(), SafepointLog.pauseNs("[1.879s] ThreadDump  1"));
  }

  @Test
  @DisplayName("is what the JVM of these tests writes when it is asked to")
  void real() throws IOException, InterruptedException {
    Path program = Files.writeString(folder.resolve("Pause.java"), "void main() { System.gc(); }");
    Process java =
        Command.prepare(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                SafepointLog.option(folder),
                "-XX:+UseG1GC",
                program.toString())
            .start();
    Command.finish(java, 0, "java");
    SafepointLog log = SafepointLog.of(folder, java.pid());
    assertTrue(log.pausesNs(0, log.length()).stream().allMatch(ns -> ns > 0), log::toString);
  }

  @Test
  @DisplayName("is summed up as how often, how long, and how often too long")
  void summary() {
    DaemonPauses pauses =
        new DaemonPauses("leader", List.of(6_000_000L, 1_000_000L, 5_000_000L, 2_000_000L));
    assertEquals(2_000_000, pauses.percentileNs(50));
    assertEquals(6_000_000, pauses.percentileNs(99));
    assertEquals(6_000_000, pauses.longestNs());
    assertEquals(1, pauses.tooLong(), "5 ms are allowed");
    assertEquals(0, new DaemonPauses("worker a", List.of()).percentileNs(99));
  }

  @Test
  @DisplayName("makes a report that says whether daemons stood still for too long")
  void report() {
    Sample full = Figures.hypersync(Operation.CREATE, 16, 2_000, 500);
    Sample half = Figures.hypersync(Operation.CREATE, 16, 1_000, 400);
    List<DaemonPauses> short1 = List.of(new DaemonPauses("leader", List.of(5_000_000L)));
    List<DaemonPauses> long1 = List.of(new DaemonPauses("leader", List.of(1L, 5_200_000L)));
    Load load = new Load(Figures.MACHINE, 0, 0);
    assertTrue(met(PauseReport.of(load, Workers.USUAL, full, half, short1)));
    Sample less = Figures.hypersync(Operation.CREATE, 16, 900, 400);
    assertFalse(met(PauseReport.of(load, Workers.USUAL, full, less, short1)), "less than half");
    SuiteResult found = PauseReport.of(load, Workers.USUAL, full, half, long1);
    assertFalse(met(found));
    assertEquals(
        "{\"daemon\":\"leader\",\"pauses\":2,\"p50_ms\":0.0,\"p99_ms\":5.2,\"longest_ms\":5.2,"
            + "\"over_5_ms\":1}",
        found.json().at("/rows/0").toString());
    assertEquals(1_000, found.json().at("/load/asked_ops_per_s").asDouble());
    assertTrue(found.text().contains("leader       2  0.0  5.2      5.2          1"), found::text);
    assertTrue(found.text().contains("1 of 2 in 2 s, the longest 5.2 ms"), found::text);
  }

  private static boolean met(SuiteResult findings) {
    return findings.json().at("/aims/0/met").asBoolean();
  }
}

package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.bench.baseline.Row;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A report")
final class ReportTest {
  private static final long MIB = 1 << 20;

  private static Report report(List<Sample> samples, Optional<MemoryUse> memory) {
    return new Report(
        new Load(Figures.MACHINE, 0.25, 3.5),
        Workers.USUAL,
        Pair.of(samples),
        List.of(),
        List.of(),
        memory);
  }

  private static MemoryUse memory(long leaderMib, long workerMib) {
    return new MemoryUse(
        100_000,
        4_096,
        50_000_000_000L,
        List.of(
            new MemoryUse.Daemon("leader", 100 * MIB, leaderMib * MIB, 90 * MIB),
            new MemoryUse.Daemon("worker a", 120 * MIB, workerMib * MIB, 220 * MIB)),
        1_500_000_000L,
        true);
  }

  private static MemoryUse million(long bytesPerFile, long restingBytesPerFile, long restartMs) {
    return new MemoryUse(
        1_000_000,
        0,
        50_000_000_000L,
        List.of(
            new MemoryUse.Daemon(
                "leader", 100 * MIB, 100 * MIB + 240_000_000, 100 * MIB + 230_000_000),
            new MemoryUse.Daemon(
                "worker a",
                120 * MIB,
                120 * MIB + bytesPerFile * 1_000_000,
                120 * MIB + restingBytesPerFile * 1_000_000)),
        restartMs * 1_000_000,
        false);
  }

  @Test
  @DisplayName("puts both places of one operation and number of threads into one row")
  void pairs() {
    List<Pair> rows = Pair.of(Figures.some());
    assertEquals(3, rows.size());
    assertEquals(Optional.empty(), rows.get(0).hypersync());
    assertEquals(Optional.of(2.0), rows.get(1).timesPlainP50());
    assertEquals(Optional.of(0.5), rows.get(1).shareOfPlainOperations());
    assertEquals(Optional.of(6.0), rows.get(2).timesOneThread());
    assertEquals(Optional.empty(), rows.get(0).timesPlainP50(), "the disk is not compared");
  }

  @Test
  @DisplayName("offers to a baseline what has both sides, beside the disk")
  void ratios() {
    assertEquals(
        List.of(
            new Row("write threads=1", "the disk, with fsync", 2.0),
            new Row("write threads=16", "the disk, with fsync", 850.0 / 1_300)),
        report(Figures.some(), Optional.empty()).ratios());
  }

  @Test
  @DisplayName("has no ratio where one side is missing or nothing")
  void noRatio() {
    List<Pair> rows =
        Pair.of(
            List.of(
                Figures.hypersync(Operation.STAT, 4, 10, 5),
                Figures.hypersync(Operation.MKDIR, 1, 10, 5),
                Figures.plain(Operation.MKDIR, 1, 0, 0)));
    assertEquals(Optional.empty(), rows.get(0).timesOneThread());
    assertEquals(Optional.empty(), rows.get(0).timesPlainP50());
    assertEquals(Optional.empty(), rows.get(1).timesPlainP50());
  }

  @Test
  @DisplayName("for people is a table, and says the machine, the load and the aims")
  void text() {
    String text = TextReport.render(report(Figures.some(), Optional.empty()));
    assertEquals(
        """
        kernel 6.18.5, 2 x Test CPU, /dev/vda (ext4), Java 25.0.3
        load average 0.3 at the start, 3.5 at the end
        a leader and 2 workers, who all replicate what is done through one mount

        Durable operations: HyperSync through a mount; beside it the same on the leader's disk,
        each with fsync. Times in microseconds. SCALE: ops/s over those of 1 thread.
        SLOWER: median over the disk's.
        OPERATION                 THREADS  P50    P99   OPS/S  SCALE  DISK P50  DISK P99  DISK OPS/S  SLOWER
        4 KiB overwrite, O_DSYNC        1    -      -       -      -       100       300      10,000       -
        write 4 KiB                     1  300    900   3,000      -       150       450       6,000    2.0x
        write 4 KiB                    16  850  2,550  18,000   6.0x     1,300     3,900      12,000    0.7x

        Aims
          met      durable 4 KiB write by 1 thread below 400 us p50, on an idle machine whose disk does an O_DSYNC overwrite in 81 us
                   here: 300 us; that overwrite took 100 us here, so the disk was 1.2 times as slow
          met      durable 4 KiB writes by 16 threads at least 5 times the ops/s of 1 thread
                   here: 6.0 times
        """,
        text);
  }

  @Test
  @DisplayName(
      "for people has a second table of the other filesystems, and says which are left out")
  void otherFilesystems() {
    List<Sample> samples =
        List.of(
            Figures.plain(Operation.DISK_OVERWRITE, 1, 10_000, 100),
            Figures.hypersync(Operation.MKDIR, 1, 2_000, 500),
            Figures.on(MeasuredFilesystem.Kind.UNSYNCED, Operation.MKDIR, 1, 100_000, 10),
            Figures.on(MeasuredFilesystem.Kind.PEER, Operation.MKDIR, 1, 1_000, 1_000),
            Figures.hypersync(Operation.STAT, 4, 20_000, 40),
            Figures.on(MeasuredFilesystem.Kind.PEER, Operation.STAT, 4, 10_000, 80));
    Report report =
        new Report(
            new Load(Figures.MACHINE, 0, 0),
            Workers.USUAL,
            Pair.of(samples),
            List.of(),
            List.of("bindfs is left out: it is not installed (apt-get install bindfs)"),
            Optional.empty());
    String text = TextReport.render(report);
    assertEquals(
        """
        Other filesystems, medians. OURS: HyperSync's over theirs.
        OPERATION  THREADS  HYPERSYNC  UNSYNCED   OURS   PEER  OURS
        mkdir            1        500      10.0  50.0x  1,000  0.5x
        stat             4       40.0         -      -   80.0  0.5x

        bindfs is left out: it is not installed (apt-get install bindfs)

        Aims
          met      mkdir by 1 thread in at most half of the peer's time
                   here: 0.50 times its time
        """,
        text.substring(text.indexOf("Other")));
    JsonNode tree = JsonReport.render(report);
    assertEquals(0.5, tree.at("/rows/1/p50_times_peer").asDouble());
    assertEquals(1_000, tree.at("/rows/1/peer/p50_us").asDouble());
    assertEquals(50, tree.at("/rows/1/p50_times_unsynced").asDouble());
    assertTrue(tree.at("/left_out/0").asText().startsWith("bindfs"), tree::toString);
  }

  @Test
  @DisplayName("holds a durable call against the floor of FUSE, loopback and disk")
  void floor() {
    List<Sample> samples =
        List.of(
            Figures.plain(Operation.DISK_OVERWRITE, 1, 10_000, 80),
            Figures.plain(Operation.LOOPBACK, 1, 10_000, 50),
            Figures.hypersync(Operation.STATFS, 1, 10_000, 20),
            Figures.hypersync(Operation.CREATE, 1, 1_000, 541),
            Figures.hypersync(Operation.MKDIR, 1, 5_000, 240));
    assertEquals(
        List.of(
            new Target(
                "mkdir_times_floor",
                "mkdir by 1 thread within 1.6 times the floor of FUSE, loopback and disk",
                "1.6 times; the floor is 20 + 50 + 80 us",
                true),
            new Target(
                "create_times_floor",
                "create, write 4 KiB, close by 1 thread within 1.8 times two floors of FUSE,"
                    + " loopback and disk",
                "1.8 times; the floor is 20 + 50 + 80 us",
                false)),
        report(samples, Optional.empty()).aims());
  }

  @Test
  @DisplayName("holds a durable call of the main host against the floor of FUSE there and disk")
  void mainHostFloor() {
    List<Sample> samples =
        List.of(
            Figures.plain(Operation.DISK_OVERWRITE, 1, 10_000, 80),
            Figures.on(MeasuredFilesystem.Kind.MAIN_HOST, Operation.STATFS, 1, 10_000, 20),
            Figures.on(MeasuredFilesystem.Kind.MAIN_HOST, Operation.CREATE, 1, 1_000, 281),
            Figures.on(MeasuredFilesystem.Kind.MAIN_HOST, Operation.MKDIR, 1, 5_000, 130));
    Report report = report(samples, Optional.empty());
    assertEquals(
        List.of(
            new Target(
                "mkdir_main_host",
                "mkdir by 1 thread through the main host's mount within 1.3 times the floor of"
                    + " FUSE and disk",
                "1.30 times; the floor is 100 us",
                true),
            new Target(
                "create_main_host",
                "create, write 4 KiB, close by 1 thread through the main host's mount within 1.4"
                    + " times two floors of FUSE and disk",
                "1.41 times; the floor is 100 us",
                false)),
        report.aims());
    String text = TextReport.render(report);
    assertTrue(
        text.contains(
            """
            OPERATION                   MAIN-HOST  FLOOR  TIMES
            mkdir                             130    100   1.3x
            create, write 4 KiB, close        281    200   1.4x
            """),
        text);
    assertEquals(100, JsonReport.render(report).at("/main_host_floor_us").asDouble());
  }

  @Test
  @DisplayName("says what processor time each daemon takes for an operation")
  void processorTime() {
    Sample ours = Figures.hypersync(Operation.MKDIR, 1, 1_000, 500); // 2,000 of them
    Sample peer = Figures.on(MeasuredFilesystem.Kind.PEER, Operation.MKDIR, 1, 500, 1_000);
    Report report =
        report(
            List.of(
                Figures.withCpu(ours, Map.of("leader", 400_000_000L)),
                Figures.withCpu(peer, Map.of("mfsmaster", 150_000_000L)),
                Figures.plain(Operation.MKDIR, 1, 10, 10)),
            Optional.empty());
    String text = TextReport.render(report);
    assertTrue(
        text.contains(
            """
            OPERATION  THREADS  THROUGH    LEADER  MFSMASTER  ALL
            mkdir            1  hypersync     200          -  200
            mkdir            1  peer            -        150  150
            """),
        text);
    JsonNode tree = JsonReport.render(report);
    assertEquals(200, tree.at("/rows/0/hypersync/cpu_us/leader").asDouble());
    assertEquals(200, tree.at("/rows/0/hypersync/cpu_all_us").asDouble());
    assertTrue(tree.at("/rows/0/plain/cpu_us").isMissingNode());
  }

  @Test
  @DisplayName("holds a durable call against the peer and bindfs, if they were measured")
  void besideOthers() {
    List<Sample> samples =
        List.of(
            Figures.hypersync(Operation.MKDIR, 1, 2_000, 500),
            Figures.on(MeasuredFilesystem.Kind.PEER, Operation.MKDIR, 1, 1_000, 1_000),
            Figures.hypersync(Operation.CREATE, 16, 3_999, 4_000),
            Figures.hypersync(Operation.WRITE_1M, 1, 100, 2_100),
            Figures.on(MeasuredFilesystem.Kind.BINDFS, Operation.WRITE_1M, 1, 200, 1_000));
    assertEquals(
        List.of(
            "creates_16_threads false", "mkdir_beside_peer true", "write_1m_beside_bindfs false"),
        report(samples, Optional.empty()).aims().stream()
            .map(aim -> aim.key() + " " + aim.met())
            .toList());
  }

  @Test
  @DisplayName("says it when an aim is not met")
  void missedTargets() {
    List<Sample> slow =
        List.of(
            Figures.hypersync(Operation.WRITE, 1, 2_000, 400),
            Figures.hypersync(Operation.WRITE, 16, 9_999, 1_600));
    List<Target> aims = report(slow, Optional.of(memory(400, 513))).aims();
    assertEquals(3, aims.size());
    assertAll(aims.stream().map(aim -> () -> assertFalse(aim.met(), aim.toString())));
    assertTrue(Target.resident(memory(512, 512)).met(), "512 MiB is allowed");
  }

  @ParameterizedTest(name = "{0} and {1} us: {2}, {3}")
  @CsvSource({"999, 9999, true, true", "1000, 10000, false, false"})
  @DisplayName("says how soon others see a change")
  void propagation(long p50Us, long p99Us, boolean soon, boolean always) {
    Propagation name = new Propagation(Propagation.Change.NAME, p50Us * 1_000, p99Us * 1_000);
    Report report =
        new Report(
            new Load(Figures.MACHINE, 0, 0),
            Workers.USUAL,
            List.of(),
            List.of(name),
            List.of(),
            Optional.empty());
    assertEquals(List.of(soon, always), report.aims().stream().map(Target::met).toList());
    JsonNode tree = JsonReport.render(report);
    assertEquals(p50Us, tree.at("/propagation/name/p50_us").asLong());
    assertEquals("name_seen_p99", tree.at("/aims/1/aim").asText());
  }

  @ParameterizedTest(name = "{0} bytes a file, {1} at rest, back after {2} ms: {3}, {4}, {5}")
  @CsvSource({
    "399, 399, 9999, true, true, true",
    "400, 400, 10000, false, false, false",
    "400, 399, 9999, false, true, true",
    "250, 250, 10001, true, true, false",
  })
  @DisplayName("with a million files asks what each costs, and how long a start takes")
  void millionFiles(
      long bytes, long resting, long restartMs, boolean small, boolean restsSmall, boolean quick) {
    List<Target> aims = Target.of(million(bytes, resting, restartMs));
    assertEquals(
        List.of("bytes_per_file", "resting_bytes_per_file", "leader_restart"),
        aims.stream().map(Target::key).toList());
    assertEquals(List.of(small, restsSmall, quick), aims.stream().map(Target::met).toList());
  }

  @Test
  @DisplayName("for programs has every figure in its unit")
  void json() {
    JsonNode tree = JsonReport.render(report(Figures.some(), Optional.of(memory(300, 400))));
    assertAll(
        () -> assertEquals("6.18.5", tree.at("/machine/kernel").asText()),
        () -> assertEquals(3.5, tree.at("/machine/load_average_end").asDouble()),
        () -> assertEquals(2, tree.at("/workers").asInt()),
        () -> assertEquals("write", tree.at("/rows/1/op").asText()),
        () -> assertEquals(150.0, tree.at("/rows/1/hypersync/best_us").asDouble()),
        () -> assertEquals(300.0, tree.at("/rows/1/hypersync/p50_us").asDouble()),
        () -> assertEquals(900.0, tree.at("/rows/1/hypersync/p99_us").asDouble()),
        () -> assertEquals(6_000.0, tree.at("/rows/1/plain/ops_per_s").asDouble()),
        () -> assertEquals(2.0, tree.at("/rows/1/p50_times_plain").asDouble()),
        () -> assertEquals(6.0, tree.at("/rows/2/ops_times_one_thread").asDouble()),
        () -> assertTrue(tree.at("/rows/0/hypersync").isMissingNode()),
        () -> assertEquals(100_000, tree.at("/memory/files").asLong()),
        () -> assertEquals(400 * MIB, tree.at("/memory/daemons/1/resident_bytes").asLong()),
        () -> assertEquals(4_096, tree.at("/memory/file_bytes").asLong()),
        () -> assertEquals(1_500, tree.at("/memory/leader_restart_ms").asLong()),
        () -> assertTrue(tree.at("/memory/leader_restart_cold").asBoolean()),
        () -> assertEquals(220 * MIB, tree.at("/memory/daemons/1/resting_bytes").asLong()),
        () -> assertEquals(2_936, tree.at("/memory/daemons/1/bytes_per_file").asLong()),
        () -> assertEquals(1_048, tree.at("/memory/daemons/1/resting_bytes_per_file").asLong()),
        () -> assertEquals("resident_memory", tree.at("/aims/2/aim").asText()),
        () -> assertTrue(tree.at("/aims/2/met").asBoolean()));
  }

  @Test
  @DisplayName("takes resident memory from the kernel's line for it")
  void residentMemory() throws IOException {
    assertEquals(
        123_456 * 1024L,
        MemoryUse.parse(List.of("Name:\tjava", "VmHWM:\t  200000 kB", "VmRSS:\t  123456 kB")));
    assertThrows(IOException.class, () -> MemoryUse.parse(List.of("Name:\tkthreadd")));
    assertTrue(MemoryUse.residentBytes(ProcessHandle.current().pid()) > MIB);
  }
}

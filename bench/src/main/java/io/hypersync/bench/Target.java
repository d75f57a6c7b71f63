package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A performance target, and whether a measurement reached it.
 *
 * @param key name in JSON
 * @param goal the target in words, with its conditions
 * @param found what was measured, in words
 * @param met whether the target is reached
 */
record Target(String key, String goal, String found, boolean met) {
  private static final double WRITE_P50_US = 400;
  private static final double IDLE_DISK_US = 81;
  private static final int MANY_THREADS = 16;
  private static final double SCALE = 5;
  private static final int CREATES_PER_S = 4_000;
  private static final double TIMES_FLOOR = 1.6;
  private static final double TIMES_TWO_FLOORS = 1.8;
  private static final double TIMES_MAIN_HOST_FLOOR = 1.3;
  private static final double TIMES_TWO_MAIN_HOST_FLOORS = 1.4;
  private static final double HALF = 0.5;

  private static final long RESIDENT_MIB = 512;
  private static final long MILLION = 1_000_000;
  private static final int BYTES_PER_FILE = 400;
  private static final int RESTART_S = 10;
  private static final int SEEN_P50_MS = 1;
  private static final int SEEN_P99_MS = 10;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_US = 1000;
  private static final double NS_PER_S = 1e9;
  private static final long BYTES_PER_MIB = 1 << 20;

  /** Renders targets as text; empty if there are none. */
  static String text(List<Target> aims) {
    StringBuilder text = new StringBuilder();
    if (!aims.isEmpty()) {
      text.append("\nAims\n");
      for (Target aim : aims) {
        text.append(aim.met() ? "  met      " : "  not met  ").append(aim.goal()).append('\n');
        text.append("           here: ").append(aim.found()).append('\n');
      }
    }
    return text.toString();
  }

  /** Renders targets as JSON: {@code aims} of the report. */
  static void write(List<Target> aims, ObjectNode report) {
    ArrayNode list = report.putArray("aims");
    for (Target aim : aims) {
      list.addObject()
          .put("aim", aim.key())
          .put("goal", aim.goal())
          .put("found", aim.found())
          .put("met", aim.met());
    }
  }

  /** Returns the targets that these rows allow to be judged. */
  static List<Target> of(List<Pair> rows) {
    List<Target> aims = new ArrayList<>();
    Pair.find(rows, Operation.WRITE, 1)
        .flatMap(Pair::hypersync)
        .ifPresent(
            write ->
                aims.add(writeAtOneThread(write, Pair.find(rows, Operation.DISK_OVERWRITE, 1))));
    Pair.find(rows, Operation.WRITE, MANY_THREADS)
        .flatMap(Pair::timesOneThread)
        .ifPresent(times -> aims.add(scaling(times)));
    Pair.find(rows, Operation.CREATE, MANY_THREADS)
        .flatMap(Pair::hypersync)
        .ifPresent(create -> aims.add(creates(create)));
    Floor.of(rows)
        .ifPresent(
            floor -> {
              Floor.ONE_COMMIT.forEach(op -> timesFloor(rows, op, floor, 1, TIMES_FLOOR, aims));
              timesFloor(rows, Operation.CREATE, floor, 2, TIMES_TWO_FLOORS, aims);
            });
    Floor.ofMainHost(rows)
        .ifPresent(floor -> Floor.COMMITS.forEach(op -> mainHost(rows, op, floor, aims)));
    for (Operation operation : Floor.COMMITS) {
      Pair.find(rows, operation, 1)
          .flatMap(row -> row.timesP50(MeasuredFilesystem.Kind.PEER))
          .ifPresent(times -> aims.add(besidePeer(operation, times)));
    }
    Pair.find(rows, Operation.WRITE_1M, 1)
        .flatMap(row -> row.timesP50(MeasuredFilesystem.Kind.BINDFS))
        .ifPresent(times -> aims.add(largeWrite(times)));
    return aims;
  }

  /** Returns the targets for how soon another mount shows a change. */
  static List<Target> of(Propagation propagation) {
    return List.of(
        seen(propagation, "p50", propagation.p50Ns(), SEEN_P50_MS),
        seen(propagation, "p99", propagation.p99Ns(), SEEN_P99_MS));
  }

  private static Target seen(Propagation propagation, String which, long ns, int limitMs) {
    return new Target(
        propagation.change().key() + "_seen_" + which,
        "another mount shows an acknowledged change of a "
            + (propagation.change() == Propagation.Change.NAME ? "name" : "file's content")
            + " in less than "
            + limitMs
            + " ms "
            + which,
        String.format(Locale.ROOT, "%.2f ms", ns / NS_PER_MS),
        ns < limitMs * NS_PER_MS);
  }

  /**
   * Returns the targets with many files: with a million or more, the memory per file and the
   * restart of the leader; with fewer, the resident memory of each daemon.
   */
  static List<Target> of(MemoryUse use) {
    return use.files() < MILLION
        ? List.of(resident(use))
        : List.of(
            perFile("bytes_per_file", "right after the last one", use, use::bytesPerFile),
            perFile("resting_bytes_per_file", "at rest", use, use::restingBytesPerFile),
            restart(use));
  }

  private static Target perFile(
      String key, String when, MemoryUse use, ToLongFunction<MemoryUse.Daemon> bytesPerFile) {
    long most = use.daemons().stream().mapToLong(bytesPerFile).max().orElse(0);
    return new Target(
        key,
        "every daemon below " + BYTES_PER_FILE + " bytes a file, " + when,
        most + " bytes, empty parts of the heap among them",
        most < BYTES_PER_FILE);
  }

  private static Target restart(MemoryUse use) {
    double seconds = use.restartNs() / NS_PER_S;
    return new Target(
        "leader_restart",
        "a leader that was killed answers again in less than " + RESTART_S + " s",
        String.format(Locale.ROOT, "%.1f s", seconds),
        seconds < RESTART_S);
  }

  /** Returns the target for resident memory. */
  static Target resident(MemoryUse use) {
    long largest =
        use.daemons().stream().mapToLong(MemoryUse.Daemon::residentBytes).max().orElse(0);
    return new Target(
        "resident_memory",
        "every daemon at most " + RESIDENT_MIB + " MiB resident",
        "the largest has " + largest / BYTES_PER_MIB + " MiB",
        largest <= RESIDENT_MIB * BYTES_PER_MIB);
  }

  private static Target writeAtOneThread(Sample write, Optional<Pair> disk) {
    double us = write.p50Ns() / NS_PER_US;
    String beside =
        disk.flatMap(Pair::plain)
            .map(
                sample ->
                    String.format(
                        Locale.ROOT,
                        "; that overwrite took %.0f us here, so the disk was %.1f times as slow",
                        sample.p50Ns() / NS_PER_US,
                        sample.p50Ns() / NS_PER_US / IDLE_DISK_US))
            .orElse("");
    return new Target(
        "write_4k_one_thread_p50_us",
        String.format(
            Locale.ROOT,
            "durable 4 KiB write by 1 thread below %.0f us p50, on an idle machine whose disk does"
                + " an O_DSYNC overwrite in %.0f us",
            WRITE_P50_US,
            IDLE_DISK_US),
        String.format(Locale.ROOT, "%.0f us%s", us, beside),
        us < WRITE_P50_US);
  }

  private static void timesFloor(
      List<Pair> rows,
      Operation operation,
      Floor floor,
      int commits,
      double limit,
      List<Target> aims) {
    Optional<Sample> sample = Pair.find(rows, operation, 1).flatMap(Pair::hypersync);
    if (sample.isEmpty()) {
      return;
    }
    double times = (double) sample.get().p50Ns() / (commits * floor.ns());
    aims.add(
        new Target(
            operation.key() + "_times_floor",
            String.format(
                Locale.ROOT,
                "%s by 1 thread within %.1f times %s of FUSE, loopback and disk",
                operation.title(),
                limit,
                commits == 1 ? "the floor" : "two floors"),
            String.format(
                Locale.ROOT,
                "%.1f times; the floor is %.0f + %.0f + %.0f us",
                times,
                floor.fuseNs() / NS_PER_US,
                floor.loopbackNs() / NS_PER_US,
                floor.diskNs() / NS_PER_US),
            times <= limit));
  }

  private static void mainHost(
      List<Pair> rows, Operation operation, long floorNs, List<Target> aims) {
    Optional<Sample> sample =
        Pair.find(rows, operation, 1).flatMap(row -> row.on(MeasuredFilesystem.Kind.MAIN_HOST));
    if (sample.isEmpty()) {
      return;
    }
    int commits = Floor.commits(operation);
    double limit = commits == 1 ? TIMES_MAIN_HOST_FLOOR : TIMES_TWO_MAIN_HOST_FLOORS;
    double times = (double) sample.get().p50Ns() / (commits * floorNs);
    aims.add(
        new Target(
            operation.key() + "_main_host",
            String.format(
                Locale.ROOT,
                "%s by 1 thread through the main host's mount within %.1f times %s of FUSE and"
                    + " disk",
                operation.title(),
                limit,
                commits == 1 ? "the floor" : "two floors"),
            String.format(
                Locale.ROOT, "%.2f times; the floor is %.0f us", times, floorNs / NS_PER_US),
            times <= limit));
  }

  private static Target besidePeer(Operation operation, double times) {
    return new Target(
        operation.key() + "_beside_peer",
        String.format(
            Locale.ROOT, "%s by 1 thread in at most half of the peer's time", operation.title()),
        String.format(Locale.ROOT, "%.2f times its time", times),
        times <= HALF);
  }

  private static Target largeWrite(double times) {
    return new Target(
        "write_1m_beside_bindfs",
        "durable 1 MiB write by 1 thread within twice the time of bindfs",
        String.format(Locale.ROOT, "%.1f times its time", times),
        times <= 2);
  }

  private static Target creates(Sample create) {
    return new Target(
        "creates_16_threads",
        String.format(
            Locale.ROOT,
            "%,d durable files of 4 KiB a second by %d threads",
            CREATES_PER_S,
            MANY_THREADS),
        String.format(Locale.ROOT, "%,.0f", create.operationsPerSecond()),
        create.operationsPerSecond() >= CREATES_PER_S);
  }

  private static Target scaling(double times) {
    return new Target(
        "write_4k_scaling",
        String.format(
            Locale.ROOT,
            "durable 4 KiB writes by %d threads at least %.0f times the ops/s of 1 thread",
            MANY_THREADS,
            SCALE),
        String.format(Locale.ROOT, "%.1f times", times),
        times >= SCALE);
  }
}

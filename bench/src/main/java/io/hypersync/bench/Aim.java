package io.hypersync.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What was to be reached, and what was.
 *
 * @param key name in JSON
 * @param goal the aim in words, with what it supposes
 * @param found what was measured, in words
 * @param met whether that is enough
 */
record Aim(String key, String goal, String found, boolean met) {
  private static final double WRITE_P50_US = 400;
  private static final double IDLE_DISK_US = 81;
  private static final int MANY_THREADS = 16;
  private static final double SCALE = 5;
  private static final long RESIDENT_MIB = 512;
  private static final double NS_PER_US = 1000;
  private static final long BYTES_PER_MIB = 1 << 20;

  /** The aims that these rows say something about. */
  static List<Aim> of(List<Pair> rows) {
    List<Aim> aims = new ArrayList<>();
    find(rows, Operation.WRITE, 1)
        .flatMap(Pair::hypersync)
        .ifPresent(
            write -> aims.add(writeAtOneThread(write, find(rows, Operation.DISK_OVERWRITE, 1))));
    find(rows, Operation.WRITE, MANY_THREADS)
        .flatMap(Pair::timesOneThread)
        .ifPresent(times -> aims.add(scaling(times)));
    return aims;
  }

  /** The aim for memory. */
  static Aim resident(MemoryUse use) {
    long largest =
        use.daemons().stream().mapToLong(MemoryUse.Daemon::residentBytes).max().orElse(0);
    return new Aim(
        "resident_memory",
        "every daemon at most " + RESIDENT_MIB + " MiB resident",
        "the largest has " + largest / BYTES_PER_MIB + " MiB",
        largest <= RESIDENT_MIB * BYTES_PER_MIB);
  }

  private static Aim writeAtOneThread(Sample write, Optional<Pair> disk) {
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
    return new Aim(
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

  private static Aim scaling(double times) {
    return new Aim(
        "write_4k_scaling",
        String.format(
            Locale.ROOT,
            "durable 4 KiB writes by %d threads at least %.0f times the ops/s of 1 thread",
            MANY_THREADS,
            SCALE),
        String.format(Locale.ROOT, "%.1f times", times),
        times >= SCALE);
  }

  private static Optional<Pair> find(List<Pair> rows, Operation operation, int threads) {
    return rows.stream()
        .filter(row -> row.operation() == operation && row.threads() == threads)
        .findFirst();
  }
}

package io.hypersync.bench;

import io.hypersync.cli.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The targets of the scale suite. */
final class ScaleAims {
  /** The default of {@code state_memory}, which leader and worker have. */
  static final long STATE_MEMORY_BYTES =
      Objects.requireNonNull(Settings.LEADER_STATE_MEMORY.defaultValue());

  private static final long MIB = 1 << 20;
  private static final long BESIDE_STATE_BYTES = 300 * MIB;
  private static final double SNAPSHOT_S = 1;
  private static final long SNAPSHOT_BYTES = 16 * MIB;
  private static final double WRITERS = 1.2;
  private static final double LONGER_S = 1.5;
  private static final double CATCH_UP_S = 10;
  private static final double NS_PER_S = 1e9;

  private ScaleAims() {}

  static List<Target> of(ScaleFound found) {
    List<Target> aims = new ArrayList<>();
    aims.add(snapshotWork(found));
    aims.add(snapshotBytes(found));
    double writers = median(found.writers());
    aims.add(
        new Target(
            "snapshot_writers_p99",
            String.format(
                Locale.ROOT, "writers' p99 beside snapshots within %.1f times of without", WRITERS),
            String.format(Locale.ROOT, "%.2f times, median of the rounds", writers),
            writers <= WRITERS));
    aims.add(
        longer(
            "leader_restart",
            "a leader that is started again answers",
            found.now().leader().wallNs(),
            found.now().emptyLeader().wallNs()));
    aims.add(
        longer(
            "leader_late_restart",
            String.format(
                Locale.ROOT, "a leader with %,d entries in its log answers", found.entries()),
            found.late().wallNs(),
            found.now().emptyLeader().wallNs()));
    aims.add(
        longer(
            "first_list",
            "a new worker's first ls -l ends",
            found.full().listedNs(),
            found.empty().listedNs()));
    double caughtUp = found.full().caughtUpNs() / NS_PER_S;
    aims.add(
        new Target(
            "catch_up",
            String.format(
                Locale.ROOT, "a new worker has caught up within %.0f s of its start", CATCH_UP_S),
            String.format(Locale.ROOT, "%.1f s over %,d entries", caughtUp, found.entries()),
            caughtUp < CATCH_UP_S));
    aims.add(memory("leader", found.now().filledLeader()));
    aims.add(memory("worker", found.now().filledWorker()));
    return aims;
  }

  private static Target snapshotWork(ScaleFound found) {
    double most =
        found.snapshots().stream().mapToLong(SnapshotCost::cpuNs).max().orElseThrow() / NS_PER_S;
    double wall =
        found.snapshots().stream().mapToLong(SnapshotCost::wallNs).max().orElseThrow() / NS_PER_S;
    return new Target(
        "snapshot_work",
        "a snapshot with 1,000 changed files takes less than 1 s of work",
        String.format(
            Locale.ROOT, "%.2f s of processor time at most; durable after %.2f s", most, wall),
        most < SNAPSHOT_S);
  }

  private static Target snapshotBytes(ScaleFound found) {
    long most =
        found.snapshots().stream().mapToLong(SnapshotCost::writtenBytes).max().orElseThrow();
    return new Target(
        "snapshot_bytes",
        "it writes less than 16 MiB",
        String.format(Locale.ROOT, "%.1f MiB at most", (double) most / MIB),
        most < SNAPSHOT_BYTES);
  }

  private static Target longer(String key, String what, long fullNs, long emptyNs) {
    double longer = (fullNs - emptyNs) / NS_PER_S;
    return new Target(
        key,
        String.format(
            Locale.ROOT, "%s at most %.1f s later than with an empty workspace", what, LONGER_S),
        String.format(
            Locale.ROOT,
            "%.2f s later, %.2f s instead of %.2f s",
            longer,
            fullNs / NS_PER_S,
            emptyNs / NS_PER_S),
        longer <= LONGER_S);
  }

  private static Target memory(String daemon, ResidentMemory memory) {
    return new Target(
        daemon + "_resident",
        "the " + daemon + " at most 300 MiB resident beside its state_memory",
        memory.bytes() / MIB + " MiB; state_memory is " + STATE_MEMORY_BYTES / MIB + " MiB",
        memory.bytes() <= STATE_MEMORY_BYTES + BESIDE_STATE_BYTES);
  }

  static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}

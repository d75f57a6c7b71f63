package io.hypersync.bench;

import io.hypersync.bench.baseline.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Results of the end-to-end suite.
 *
 * @param load the machine and its load average
 * @param workers how many took part
 * @param rows latencies
 * @param propagation how soon other mounts show a change; empty if not measured
 * @param leftOut what could not be measured, and why
 * @param memory use of memory, if it was measured
 */
record Report(
    Load load,
    Workers workers,
    List<Pair> rows,
    List<Propagation> propagation,
    List<String> leftOut,
    Optional<MemoryUse> memory) {

  private static final String BESIDE = "the disk, with fsync";

  /** Returns the performance targets that these results allow to be judged. */
  List<Target> aims() {
    List<Target> aims = new ArrayList<>(Target.of(rows));
    propagation.forEach(change -> aims.addAll(Target.of(change)));
    memory.map(Target::of).ifPresent(aims::addAll);
    return aims;
  }

  /** Returns the rows for a baseline: the ratio of the p10 on a mount to that on the disk. */
  List<Row> ratios() {
    List<Row> ratios = new ArrayList<>();
    for (Pair pair : rows) {
      String name = pair.operation().key() + " threads=" + pair.threads();
      pair.timesPlainBest().ifPresent(ratio -> ratios.add(new Row(name, BESIDE, ratio)));
    }
    return ratios;
  }
}

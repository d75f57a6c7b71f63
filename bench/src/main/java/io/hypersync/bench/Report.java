package io.hypersync.bench;

import io.hypersync.bench.baseline.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything that a run found.
 *
 * @param load on which machine, and how busy
 * @param workers how many took part
 * @param rows the latencies
 * @param propagation how soon other mounts show what one changes; empty if it was not measured
 * @param leftOut what could not be measured, and why
 * @param memory the memory, if it was asked for
 */
record Report(
    Load load,
    Workers workers,
    List<Pair> rows,
    List<Propagation> propagation,
    List<String> leftOut,
    Optional<MemoryUse> memory) {

  private static final String BESIDE = "the disk, with fsync";

  /** The aims that were put to the test. */
  List<Aim> aims() {
    List<Aim> aims = new ArrayList<>(Aim.of(rows));
    propagation.forEach(change -> aims.addAll(Aim.of(change)));
    memory.map(Aim::of).ifPresent(aims::addAll);
    return aims;
  }

  /** What can be held against a baseline: the fastest tenth over the disk's. */
  List<Row> ratios() {
    List<Row> ratios = new ArrayList<>();
    for (Pair pair : rows) {
      String name = pair.operation().key() + " threads=" + pair.threads();
      pair.timesPlainBest().ifPresent(ratio -> ratios.add(new Row(name, BESIDE, ratio)));
    }
    return ratios;
  }
}

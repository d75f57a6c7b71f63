package io.hypersync.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything that a run found.
 *
 * @param machine on which
 * @param loadAtStart load average before
 * @param loadAtEnd load average after
 * @param rows the latencies
 * @param memory the memory, if it was asked for
 */
record Report(
    Machine machine,
    double loadAtStart,
    double loadAtEnd,
    List<Pair> rows,
    Optional<MemoryUse> memory) {

  /** The aims that were put to the test. */
  List<Aim> aims() {
    List<Aim> aims = new ArrayList<>(Aim.of(rows));
    memory.map(Aim::resident).ifPresent(aims::add);
    return aims;
  }
}

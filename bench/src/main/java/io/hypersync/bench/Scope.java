package io.hypersync.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * How much of a suite a run measures.
 *
 * @param suite which
 * @param ops keys of the chosen operations; empty for all
 * @param threads numbers of threads; matters for {@link Suite#E2E} only
 * @param beside the other filesystems to measure
 */
record Scope(
    Suite suite, List<String> ops, Set<Integer> threads, Set<MeasuredFilesystem.Kind> beside) {
  /** The default numbers of threads. */
  static final Set<Integer> USUAL_THREADS = Set.of(1, 4, 16);

  /** Whether all rows of the suite's baseline are measured, as far as this machine can. */
  boolean isWhole() {
    return ops.isEmpty()
        && switch (suite) {
          // The ratios are relative to the disk, which is always measured.
          case E2E -> threads.equals(USUAL_THREADS);
          case JOBS ->
              Arrays.stream(Job.values())
                  .map(Job::reference)
                  .allMatch(kind -> kind == MeasuredFilesystem.Kind.PLAIN || beside.contains(kind));
          case MICRO -> true;
          case PAUSES, FLOOD, FRESHNESS, GROWTH, SCALE, LOSS -> false; // they have no ratios
        };
  }
}

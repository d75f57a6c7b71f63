package io.hypersync.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * How much of a suite a run measures.
 *
 * @param suite which
 * @param ops the operations that were asked for, by their keys; none if all were
 * @param threads by how many threads at once; of {@link Suite#E2E}
 * @param beside on which other filesystems
 */
record Scope(Suite suite, List<String> ops, Set<Integer> threads, Set<Place.Kind> beside) {
  /** By how many threads, unless somebody asks for other numbers. */
  static final Set<Integer> USUAL_THREADS = Set.of(1, 4, 16);

  /** Whether every row of the suite's baseline is measured, if this machine can. */
  boolean isWhole() {
    return ops.isEmpty()
        && switch (suite) {
          // Its ratios are over the disk, which is always there.
          case E2E -> threads.equals(USUAL_THREADS);
          case JOBS ->
              Arrays.stream(Job.values())
                  .map(Job::reference)
                  .allMatch(kind -> kind == Place.Kind.PLAIN || beside.contains(kind));
          case MICRO -> true;
          case PAUSES, FLOOD, FRESHNESS -> false; // they have no ratios to keep
        };
  }
}

package io.hypersync.bench;

import java.util.Map;
import java.util.Optional;

/**
 * Times of one job on each filesystem where it was run.
 *
 * @param job which
 * @param ns the median of its rounds, in nanoseconds
 */
record JobDurations(Job job, Map<MeasuredFilesystem.Kind, Long> ns) {
  /** Returns the time on one filesystem, in nanoseconds. */
  Optional<Long> on(MeasuredFilesystem.Kind place) {
    return Optional.ofNullable(ns.get(place));
  }

  /** Returns the ratio of the time through a mount to the time on that filesystem. */
  Optional<Double> times(MeasuredFilesystem.Kind place) {
    return on(MeasuredFilesystem.Kind.HYPERSYNC)
        .flatMap(ours -> on(place).map(theirs -> (double) ours / Math.max(1, theirs)));
  }
}

package io.hypersync.bench;

import java.util.Map;
import java.util.Optional;

/**
 * How long a job took on each filesystem where it was done.
 *
 * @param job which
 * @param ns the median of its rounds, in nanoseconds
 */
record JobTimes(Job job, Map<Place.Kind, Long> ns) {
  /** On one filesystem. */
  Optional<Long> on(Place.Kind place) {
    return Optional.ofNullable(ns.get(place));
  }

  /** How many times as long it takes through a mount as it does there. */
  Optional<Double> times(Place.Kind place) {
    return on(Place.Kind.HYPERSYNC)
        .flatMap(ours -> on(place).map(theirs -> (double) ours / Math.max(1, theirs)));
  }
}

package io.hypersync.bench;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A row of the tables: one operation by so many threads, on each filesystem where it was measured.
 *
 * @param operation what was done
 * @param threads by how many threads at once
 * @param samples what was measured
 * @param alone the row of the same operation by one thread, if there is one
 */
record Pair(
    Operation operation, int threads, Map<Place.Kind, Sample> samples, Optional<Sample> alone) {

  /** The rows that these samples make, in the order of the first sample of each. */
  static List<Pair> of(List<Sample> samples) {
    return samples.stream()
        .map(
            sample -> {
              Operation operation = sample.operation();
              Place.Kind leading =
                  operation.isOfMachineOnly() ? Place.Kind.PLAIN : Place.Kind.HYPERSYNC;
              return new Pair(
                  operation,
                  sample.threads(),
                  everywhere(samples, operation, sample.threads()),
                  find(samples, operation, leading, 1));
            })
        .distinct()
        .toList();
  }

  /** The row of an operation by so many threads. */
  static Optional<Pair> find(List<Pair> rows, Operation operation, int threads) {
    return rows.stream()
        .filter(row -> row.operation() == operation && row.threads() == threads)
        .findFirst();
  }

  /** Copies the map, in the order of the places. */
  Pair {
    Map<Place.Kind, Sample> ordered = new EnumMap<>(Place.Kind.class);
    ordered.putAll(samples);
    samples = Collections.unmodifiableMap(ordered);
  }

  /** What was measured on one kind of filesystem. */
  Optional<Sample> on(Place.Kind place) {
    return Optional.ofNullable(samples.get(place));
  }

  /** On a mount, unless it is about the disk only. */
  Optional<Sample> hypersync() {
    return on(Place.Kind.HYPERSYNC);
  }

  /** On the leader's disk. */
  Optional<Sample> plain() {
    return on(Place.Kind.PLAIN);
  }

  /** How many times as long the median takes on a mount as it does there. */
  Optional<Double> timesP50(Place.Kind place) {
    return ratio(hypersync(), on(place), Sample::p50Ns);
  }

  /** The row's own sample: HyperSync's, or the disk's where there is no other. */
  Optional<Sample> leading() {
    return operation.isOfMachineOnly() ? plain() : hypersync();
  }

  /** How many times as long the fastest tenth takes as it does on the leader's disk. */
  Optional<Double> timesPlainBest() {
    return ratio(hypersync(), plain(), Sample::bestNs);
  }

  /** How many times as long the median takes as it does on the leader's disk. */
  Optional<Double> timesPlainP50() {
    return timesP50(Place.Kind.PLAIN);
  }

  /** What part of the disk's operations per second there are. */
  Optional<Double> shareOfPlainOperations() {
    return ratio(hypersync(), plain(), Sample::operationsPerSecond);
  }

  /** How many times the operations per second of one thread there are. */
  Optional<Double> timesOneThread() {
    return ratio(leading(), alone, Sample::operationsPerSecond);
  }

  private static Optional<Double> ratio(
      Optional<Sample> above, Optional<Sample> below, ToDoubleFunction<Sample> value) {
    if (above.isEmpty() || below.isEmpty() || value.applyAsDouble(below.get()) == 0) {
      return Optional.empty();
    }
    return Optional.of(value.applyAsDouble(above.get()) / value.applyAsDouble(below.get()));
  }

  private static Map<Place.Kind, Sample> everywhere(
      List<Sample> samples, Operation operation, int threads) {
    Map<Place.Kind, Sample> found = new EnumMap<>(Place.Kind.class);
    for (Place.Kind place : Place.Kind.values()) {
      find(samples, operation, place, threads).ifPresent(sample -> found.put(place, sample));
    }
    return found;
  }

  private static Optional<Sample> find(
      List<Sample> samples, Operation operation, Place.Kind place, int threads) {
    return samples.stream()
        .filter(
            sample ->
                sample.operation() == operation
                    && sample.place() == place
                    && sample.threads() == threads)
        .findFirst();
  }
}

package io.hypersync.bench;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A row of the tables: one operation by a number of threads, on each filesystem where it was
 * measured.
 *
 * @param operation what was measured
 * @param threads how many at once
 * @param samples result for each filesystem
 * @param alone the leading sample of the same operation by one thread, if it was measured
 */
record Pair(
    Operation operation,
    int threads,
    Map<MeasuredFilesystem.Kind, Sample> samples,
    Optional<Sample> alone) {

  /** Groups samples to rows, in the order of the first sample of each. */
  static List<Pair> of(List<Sample> samples) {
    return samples.stream()
        .map(
            sample -> {
              Operation operation = sample.operation();
              MeasuredFilesystem.Kind leading =
                  operation.isOfMachineOnly()
                      ? MeasuredFilesystem.Kind.PLAIN
                      : MeasuredFilesystem.Kind.HYPERSYNC;
              return new Pair(
                  operation,
                  sample.threads(),
                  everywhere(samples, operation, sample.threads()),
                  find(samples, operation, leading, 1));
            })
        .distinct()
        .toList();
  }

  /** Returns the row of an operation by this number of threads. */
  static Optional<Pair> find(List<Pair> rows, Operation operation, int threads) {
    return rows.stream()
        .filter(row -> row.operation() == operation && row.threads() == threads)
        .findFirst();
  }

  /** Copies the map, in the order of the places. */
  Pair {
    Map<MeasuredFilesystem.Kind, Sample> ordered = new EnumMap<>(MeasuredFilesystem.Kind.class);
    ordered.putAll(samples);
    samples = Collections.unmodifiableMap(ordered);
  }

  /** Returns the result on one kind of filesystem. */
  Optional<Sample> on(MeasuredFilesystem.Kind place) {
    return Optional.ofNullable(samples.get(place));
  }

  /** Returns the result on a mount; empty for operations of the machine only. */
  Optional<Sample> hypersync() {
    return on(MeasuredFilesystem.Kind.HYPERSYNC);
  }

  /** Returns the result on the leader's disk. */
  Optional<Sample> plain() {
    return on(MeasuredFilesystem.Kind.PLAIN);
  }

  /** Returns the ratio of the p50 on a mount to the p50 on this filesystem. */
  Optional<Double> timesP50(MeasuredFilesystem.Kind place) {
    return ratio(hypersync(), on(place), Sample::p50Ns);
  }

  /**
   * Returns the row's leading sample: HyperSync's, or the disk's for operations of the machine
   * only.
   */
  Optional<Sample> leading() {
    return operation.isOfMachineOnly() ? plain() : hypersync();
  }

  /** Returns the ratio of the p10 on a mount to that on the leader's disk. */
  Optional<Double> timesPlainBest() {
    return ratio(hypersync(), plain(), Sample::bestNs);
  }

  /** Returns the ratio of the p50 on a mount to that on the leader's disk. */
  Optional<Double> timesPlainP50() {
    return timesP50(MeasuredFilesystem.Kind.PLAIN);
  }

  /** Returns the ratio of operations per second on a mount to those on the leader's disk. */
  Optional<Double> shareOfPlainOperations() {
    return ratio(hypersync(), plain(), Sample::operationsPerSecond);
  }

  /** Returns the ratio of operations per second to those of one thread. */
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

  private static Map<MeasuredFilesystem.Kind, Sample> everywhere(
      List<Sample> samples, Operation operation, int threads) {
    Map<MeasuredFilesystem.Kind, Sample> found = new EnumMap<>(MeasuredFilesystem.Kind.class);
    for (MeasuredFilesystem.Kind place : MeasuredFilesystem.Kind.values()) {
      find(samples, operation, place, threads).ifPresent(sample -> found.put(place, sample));
    }
    return found;
  }

  private static Optional<Sample> find(
      List<Sample> samples, Operation operation, MeasuredFilesystem.Kind place, int threads) {
    return samples.stream()
        .filter(
            sample ->
                sample.operation() == operation
                    && sample.place() == place
                    && sample.threads() == threads)
        .findFirst();
  }
}

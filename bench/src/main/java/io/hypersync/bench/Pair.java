package io.hypersync.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A row of the table: one operation by so many threads, here and there.
 *
 * @param operation what was done
 * @param threads by how many threads at once
 * @param hypersync on a mount, unless it is about the disk only
 * @param plain on the leader's disk
 * @param alone the row of the same operation by one thread, if there is one
 */
record Pair(
    Operation operation,
    int threads,
    Optional<Sample> hypersync,
    Optional<Sample> plain,
    Optional<Sample> alone) {

  /** The rows that these samples make, in the order of the first sample of each. */
  static List<Pair> of(List<Sample> samples) {
    return samples.stream()
        .map(
            sample -> {
              Operation operation = sample.operation();
              Place.Kind leading =
                  operation.isOfDiskOnly() ? Place.Kind.PLAIN : Place.Kind.HYPERSYNC;
              return new Pair(
                  operation,
                  sample.threads(),
                  find(samples, operation, Place.Kind.HYPERSYNC, sample.threads()),
                  find(samples, operation, Place.Kind.PLAIN, sample.threads()),
                  find(samples, operation, leading, 1));
            })
        .distinct()
        .toList();
  }

  /** The row's own sample: HyperSync's, or the disk's where there is no other. */
  Optional<Sample> leading() {
    return operation.isOfDiskOnly() ? plain : hypersync;
  }

  /** How many times as long the median takes as it does on the leader's disk. */
  Optional<Double> timesPlainP50() {
    return ratio(hypersync, plain, Sample::p50Ns);
  }

  /** What part of the disk's operations per second there are. */
  Optional<Double> shareOfPlainOperations() {
    return ratio(hypersync, plain, Sample::operationsPerSecond);
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

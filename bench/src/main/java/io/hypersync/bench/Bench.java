package io.hypersync.bench;

import io.hypersync.cli.demo.Narrator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures every operation, with every number of threads, here and there in turn. */
final class Bench {
  private static final Operation[] WARM_UP = {
    Operation.CREATE, Operation.WRITE, Operation.MKDIR, Operation.UNLINK
  };
  private static final int WARM_UP_THREADS = 8;
  private static final double NS_PER_US = 1000;

  private final Narrator narrator;
  private final Meter meter;

  Bench(Narrator narrator, Meter meter) {
    this.narrator = narrator;
    this.meter = meter;
  }

  /**
   * Lets the daemons' hot code be compiled before anything counts.
   *
   * @param brief a meter that measures each operation for a moment
   */
  void warmUp(Meter brief, Place place) throws IOException, InterruptedException {
    narrator.say("warming up");
    Place aside = new Place(place.kind(), place.root().resolve("warm-up"));
    for (Operation operation : WARM_UP) {
      var _ = brief.measure(operation, aside, WARM_UP_THREADS);
    }
  }

  /**
   * Measures.
   *
   * @param hypersync a folder on a mount
   * @param plain a folder on the leader's disk
   */
  List<Sample> run(List<Operation> operations, List<Integer> threads, Place hypersync, Place plain)
      throws IOException, InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (Operation operation : operations) {
      for (int count : threads) {
        Map<Place.Kind, Sample> found = new EnumMap<>(Place.Kind.class);
        // One right after the other: what disturbs the machine disturbs both.
        for (Place place : operation.isOfDiskOnly() ? List.of(plain) : List.of(hypersync, plain)) {
          Sample sample = meter.measure(operation, place, count);
          found.put(place.kind(), sample);
          samples.add(sample);
        }
        narrator.say("%s, %d threads: %s", operation.title(), count, describe(found));
      }
    }
    return samples;
  }

  private static String describe(Map<Place.Kind, Sample> found) {
    List<String> parts = new ArrayList<>();
    found.forEach(
        (place, sample) ->
            parts.add(
                String.format(
                    Locale.ROOT,
                    "%s p50 %.1f us, %.0f/s",
                    place.label(),
                    sample.p50Ns() / NS_PER_US,
                    sample.operationsPerSecond())));
    return String.join("; ", parts);
  }
}

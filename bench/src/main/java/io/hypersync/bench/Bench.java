package io.hypersync.bench;

import io.hypersync.cli.demo.Narrator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures every operation with every number of threads, in all places one right after another. */
final class Bench {
  private static final Operation[] WARM_UP = {
    Operation.WRITE_1M,
    Operation.CREATE,
    Operation.WRITE,
    Operation.APPEND,
    Operation.MKDIR,
    Operation.RENAME,
    Operation.UNLINK
  };
  private static final int WARM_UP_THREADS = 8;
  private static final double NS_PER_US = 1000;

  private final Narrator narrator;
  private final Meter meter;
  private final Meter brief;

  /**
   * Creates a bench.
   *
   * @param narrator prints each figure
   * @param meter measures durable operations and reads
   * @param brief measures operations that are not durable, which are so fast that a short time
   *     suffices
   */
  Bench(Narrator narrator, Meter meter, Meter brief) {
    this.narrator = narrator;
    this.meter = meter;
    this.brief = brief;
  }

  /**
   * Has the daemons' hot code compiled before anything is measured.
   *
   * @param once a meter that runs each operation for a while
   */
  static void warmUp(Meter once, MeasuredFilesystem place)
      throws IOException, InterruptedException {
    MeasuredFilesystem aside =
        new MeasuredFilesystem(place.kind(), place.root().resolve("warm-up"));
    for (Operation operation : WARM_UP) {
      var _ = once.measure(operation, aside, WARM_UP_THREADS);
    }
  }

  /** Measures each operation in all places where it is meaningful. */
  List<Sample> run(
      List<Operation> operations, List<Integer> threads, List<MeasuredFilesystem> places)
      throws IOException, InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (Operation operation : operations) {
      for (int count : threads) {
        Map<MeasuredFilesystem.Kind, Sample> found = new EnumMap<>(MeasuredFilesystem.Kind.class);
        // One right after another, so that a disturbance of the machine affects all places alike.
        for (MeasuredFilesystem place : places) {
          if (place.kind().has(operation)) {
            Sample sample = measure(operation, place, count);
            found.put(place.kind(), sample);
            samples.add(sample);
          }
        }
        narrator.say("%s, %d threads: %s", operation.title(), count, describe(found));
      }
    }
    return samples;
  }

  private Sample measure(Operation operation, MeasuredFilesystem place, int threads)
      throws IOException, InterruptedException {
    if (place.kind() != MeasuredFilesystem.Kind.UNSYNCED) {
      return meter.measure(operation, place, threads);
    }
    // Syncs the filesystem: the pending writes would otherwise slow down the next measurement.
    Sample sample = brief.measure(operation, place, threads);
    Command.run("sync", "-f", place.root().toString());
    return sample;
  }

  private static String describe(Map<MeasuredFilesystem.Kind, Sample> found) {
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

package io.hypersync.bench;

import java.util.List;
import java.util.Map;

/** Samples for tests, in microseconds and operations per second. */
final class Figures {
  private static final long NS_PER_US = 1_000;
  private static final long SECOND_NS = 1_000_000_000L;

  static final Machine MACHINE = new Machine("6.18.5", 2, "Test CPU", "/dev/vda (ext4)", "25.0.3");

  private Figures() {}

  static Sample hypersync(Operation operation, int threads, long perSecond, long p50Us) {
    return sample(operation, MeasuredFilesystem.Kind.HYPERSYNC, threads, perSecond, p50Us);
  }

  static Sample plain(Operation operation, int threads, long perSecond, long p50Us) {
    return sample(operation, MeasuredFilesystem.Kind.PLAIN, threads, perSecond, p50Us);
  }

  /**
   * O_DSYNC overwrite in 100 us; a write by 1 thread in 300 us, on plain disk in 150 us; 16 threads
   * write six times as many per second.
   */
  static List<Sample> some() {
    return List.of(
        plain(Operation.DISK_OVERWRITE, 1, 10_000, 100),
        hypersync(Operation.WRITE, 1, 3_000, 300),
        plain(Operation.WRITE, 1, 6_000, 150),
        hypersync(Operation.WRITE, 16, 18_000, 850),
        plain(Operation.WRITE, 16, 12_000, 1_300));
  }

  static Sample on(
      MeasuredFilesystem.Kind place, Operation operation, int threads, long perSecond, long p50Us) {
    return sample(operation, place, threads, perSecond, p50Us);
  }

  private static Sample sample(
      Operation operation, MeasuredFilesystem.Kind place, int threads, long perSecond, long p50Us) {
    return new Sample(
        operation,
        place,
        threads,
        2 * perSecond,
        2 * SECOND_NS,
        p50Us * NS_PER_US / 2,
        p50Us * NS_PER_US,
        3 * p50Us * NS_PER_US,
        DaemonCpu.NONE);
  }

  /** The same sample, for which daemons have taken this much processor time. */
  static Sample withCpu(Sample sample, Map<String, Long> ns) {
    return new Sample(
        sample.operation(),
        sample.place(),
        sample.threads(),
        sample.operations(),
        sample.elapsedNs(),
        sample.bestNs(),
        sample.p50Ns(),
        sample.p99Ns(),
        new DaemonCpu(ns));
  }
}

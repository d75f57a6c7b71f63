package io.hypersync.cli.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the kernel and the JVM know of this process, under the names that Prometheus' clients use.
 * Reads {@code /proc/self}, which does not block.
 */
final class ProcessFigures {
  private static final double MILLISECONDS = 1e-3;

  /** USER_HZ, in which the kernel counts CPU time for programs: 100 on all that Java runs on. */
  private static final double TICKS_PER_S = 100;

  private static final long PAGE_BYTES = 4096;
  private static final int USER_TIME = 11;
  private static final int SYSTEM_TIME = 12;

  private ProcessFigures() {}

  static List<MetricSnapshot> read() {
    List<MetricSnapshot> found = new ArrayList<>();
    Runtime java = Runtime.getRuntime();
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
      // The name of the process, in parentheses, may have blanks.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      found.add(
          counter(
              "process_cpu_seconds",
              "User and system CPU time.",
              (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]))
                  / TICKS_PER_S));
      String[] pages =
          Files.readString(Path.of("/proc/self/statm"), StandardCharsets.US_ASCII).split(" ", -1);
      found.add(
          gauge(
              "process_resident_memory_bytes",
              "Resident memory.",
              Long.parseLong(pages[1]) * PAGE_BYTES));
      try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
        found.add(gauge("process_open_fds", "Open file descriptors.", descriptors.count()));
      }
    } catch (IOException | NumberFormatException unreadable) {
      // Without /proc these are left out; the others say something all the same.
    }
    found.add(
        seconds(
            "process_start_time_seconds",
            "When the process started, since 1970.",
            ManagementFactory.getRuntimeMXBean().getStartTime() * MILLISECONDS));
    found.add(
        gauge(
            "jvm_heap_used_bytes",
            "Heap in use, garbage too.",
            java.totalMemory() - java.freeMemory()));
    found.add(gauge("jvm_heap_committed_bytes", "Heap the JVM has taken.", java.totalMemory()));
    found.add(gauge("jvm_heap_limit_bytes", "What the heap may be.", java.maxMemory()));
    List<CounterDataPointSnapshot> times = new ArrayList<>();
    List<CounterDataPointSnapshot> counts = new ArrayList<>();
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      Labels labels = Labels.of("gc", each.getName());
      times.add(
          new CounterDataPointSnapshot(
              Math.max(0, each.getCollectionTime()) * MILLISECONDS, labels, null, 0));
      counts.add(
          new CounterDataPointSnapshot(Math.max(0, each.getCollectionCount()), labels, null, 0));
    }
    found.add(
        new CounterSnapshot(
            new MetricMetadata("jvm_gc_seconds", "Time spent on collections."), times));
    found.add(new CounterSnapshot(new MetricMetadata("jvm_gc_runs", "Collections."), counts));
    return found;
  }

  private static MetricSnapshot gauge(String name, String help, long value) {
    return seconds(name, help, (double) value);
  }

  private static MetricSnapshot seconds(String name, String help, double value) {
    return new GaugeSnapshot(
        new MetricMetadata(name, help),
        List.of(new GaugeDataPointSnapshot(value, Labels.EMPTY, null)));
  }

  private static MetricSnapshot counter(String name, String help, double value) {
    return new CounterSnapshot(
        new MetricMetadata(name, help),
        List.of(new CounterDataPointSnapshot(value, Labels.EMPTY, null, 0)));
  }
}

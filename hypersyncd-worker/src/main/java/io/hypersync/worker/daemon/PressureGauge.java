package io.hypersync.worker.daemon;

import io.hypersync.runtime.agent.Periodic;
import io.hypersync.wire.message.LocalPressure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Measures the host's load once a second (hypersync.md 12.4), on a thread of its own: a disk may
 * take long to answer.
 */
final class PressureGauge implements AutoCloseable {
  private static final double NEWEST_SHARE = 0.1;

  private final Path proc;
  private final Path directory;
  private final Periodic measuring;
  private double memory = LocalPressure.UNKNOWN;
  private volatile LocalPressure pressure = LocalPressure.NOT_KNOWN;

  /**
   * Measures nothing before {@link #start}.
   *
   * @param proc {@code /proc}
   * @param directory any directory on the disk to measure
   */
  PressureGauge(Path proc, Path directory) {
    this.proc = proc;
    this.directory = directory;
    this.measuring =
        new Periodic("worker-pressure", "the worker", () -> pressure = smoothed(look()));
  }

  void start() {
    measuring.start();
  }

  /** The last measurement, about a second old; {@code NOT_KNOWN} before the first. Any thread. */
  LocalPressure pressure() {
    return pressure;
  }

  @Override
  public void close() {
    measuring.close();
  }

  /**
   * With a moving average of the memory, in which a look is worth a tenth: programs take and give
   * back memory within seconds. The load of processors is an average already.
   */
  LocalPressure smoothed(LocalPressure now) {
    boolean isFirst = memory < 0 || now.memoryPercent() == LocalPressure.UNKNOWN;
    memory = isFirst ? now.memoryPercent() : memory + NEWEST_SHARE * (now.memoryPercent() - memory);
    return new LocalPressure(now.cpuPercent(), (int) Math.round(memory), now.diskPercent());
  }

  LocalPressure look() {
    long total = directory.toFile().getTotalSpace();
    long usable = directory.toFile().getUsableSpace();
    return new LocalPressure(
        cpuPercent(read("loadavg"), Runtime.getRuntime().availableProcessors()),
        memoryPercent(read("meminfo")),
        total == 0 ? LocalPressure.UNKNOWN : percent((double) total - usable, (double) total));
  }

  /** The load average of the last minute per processor in percent, from {@code /proc/loadavg}. */
  static int cpuPercent(String loadavg, int processors) {
    int space = loadavg.indexOf(' ');
    if (space <= 0) {
      return LocalPressure.UNKNOWN;
    }
    try {
      return percent(Double.parseDouble(loadavg.substring(0, space)), processors);
    } catch (NumberFormatException e) {
      return LocalPressure.UNKNOWN;
    }
  }

  /** The share of memory that is not available in percent, from {@code /proc/meminfo}. */
  static int memoryPercent(String meminfo) {
    long total = kilobytes(meminfo, "MemTotal:");
    long available = kilobytes(meminfo, "MemAvailable:");
    return total <= 0 || available < 0
        ? LocalPressure.UNKNOWN
        : percent((double) total - available, (double) total);
  }

  private static long kilobytes(String meminfo, String name) {
    for (String line : meminfo.lines().toList()) {
      if (line.startsWith(name)) {
        String number = line.substring(name.length()).replace("kB", "").strip();
        try {
          return Long.parseLong(number);
        } catch (NumberFormatException e) {
          return -1;
        }
      }
    }
    return -1;
  }

  private static int percent(double part, double whole) {
    double percent = LocalPressure.MAX_PERCENT * part / whole;
    return (int) Math.round(Math.clamp(percent, 0, LocalPressure.MAX_PERCENT));
  }

  private String read(String name) {
    try {
      return Files.readString(proc.resolve(name));
    } catch (IOException e) {
      return ""; // not a Linux that has this file: unknown
    }
  }
}

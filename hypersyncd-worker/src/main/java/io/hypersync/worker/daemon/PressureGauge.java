package io.hypersync.worker.daemon;

import io.hypersync.wire.message.LocalPressure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once a second how full the machine is (hypersync.md 12.4). Not on the agent's thread: a
 * disk may take long to answer.
 */
final class PressureGauge implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PressureGauge.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Path proc;
  private final Path directory;
  private final Thread thread;
  private volatile LocalPressure pressure = LocalPressure.NOT_KNOWN;

  /**
   * Does nothing yet.
   *
   * @param proc where the kernel tells of itself
   * @param directory on the disk that is meant
   */
  PressureGauge(Path proc, Path directory) {
    this.proc = proc;
    this.directory = directory;
    this.thread = Thread.ofVirtual().name("worker-pressure").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** As of a moment ago; any thread. */
  LocalPressure pressure() {
    return pressure;
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        pressure = look();
        Thread.sleep(INTERVAL);
      }
    } catch (InterruptedException stopped) {
      LOG.debug("the worker stops", stopped);
    }
  }

  LocalPressure look() {
    long total = directory.toFile().getTotalSpace();
    long usable = directory.toFile().getUsableSpace();
    return new LocalPressure(
        cpuPercent(read("loadavg"), Runtime.getRuntime().availableProcessors()),
        memoryPercent(read("meminfo")),
        total == 0 ? LocalPressure.UNKNOWN : percent((double) total - usable, (double) total));
  }

  /** The load of the last minute for each processor, of the text of /proc/loadavg. */
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

  /** What is not available any more, of the text of /proc/meminfo. */
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
      return ""; // not Linux as we know it: then it is not known
    }
  }
}

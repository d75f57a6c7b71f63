package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The machine that figures were measured on; without it they cannot be interpreted.
 *
 * @param kernel its release
 * @param cpus how many this process may use
 * @param cpuModel as in {@code /proc/cpuinfo}
 * @param disk device and filesystem of the leader's state
 * @param java the Java release that runs all parts
 */
record Machine(String kernel, int cpus, String cpuModel, String disk, String java) {
  /**
   * Describes this machine.
   *
   * @param onDisk any file on the disk that is measured
   */
  static Machine here(Path onDisk) throws IOException {
    FileStore store = Files.getFileStore(onDisk);
    return new Machine(
        System.getProperty("os.version"),
        Runtime.getRuntime().availableProcessors(),
        readCpuModel(),
        store.name() + " (" + store.type() + ")",
        System.getProperty("java.version"));
  }

  /**
   * Returns the load average of the last minute, which includes this benchmark's threads; -1 if
   * unknown.
   */
  static double loadAverage() {
    try {
      String line = Files.readString(Path.of("/proc/loadavg"));
      return Double.parseDouble(line.substring(0, line.indexOf(' ')));
    } catch (IOException unreadable) {
      return -1;
    }
  }

  /** Returns one line of text. */
  String describe() {
    return String.format(
        Locale.ROOT, "kernel %s, %d x %s, %s, Java %s", kernel, cpus, cpuModel, disk, java);
  }

  private static String readCpuModel() throws IOException {
    return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("CPU");
  }
}

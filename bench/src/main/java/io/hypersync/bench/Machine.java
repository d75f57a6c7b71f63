package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What the figures were taken on; without it they mean nothing.
 *
 * @param kernel its release
 * @param cpus how many this process may use
 * @param cpuModel what they call themselves
 * @param disk device and filesystem of the leader's state
 * @param java the release that runs all parts
 */
record Machine(String kernel, int cpus, String cpuModel, String disk, String java) {
  /** This one. */
  static Machine here(Path onDisk) throws IOException {
    FileStore store = Files.getFileStore(onDisk);
    return new Machine(
        System.getProperty("os.version"),
        Runtime.getRuntime().availableProcessors(),
        readCpuModel(),
        store.name() + " (" + store.type() + ")",
        System.getProperty("java.version"));
  }

  /** Of the last minute: runnable and blocked threads, this benchmark's own among them. */
  static double loadAverage() {
    try {
      String line = Files.readString(Path.of("/proc/loadavg"));
      return Double.parseDouble(line.substring(0, line.indexOf(' ')));
    } catch (IOException unreadable) {
      return -1;
    }
  }

  /** In one line. */
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

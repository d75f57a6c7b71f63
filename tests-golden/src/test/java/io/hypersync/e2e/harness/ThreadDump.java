package io.hypersync.e2e.harness;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the threads of a JVM were doing at one moment, as it writes it to its own output when it is
 * told to by SIGQUIT. Unlike a tool that attaches to it, this needs nothing of a JVM whose threads
 * are stuck, nor the same user and namespaces.
 */
final class ThreadDump {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int POLL_MS = 50;

  /** The first line of a dump, and one that only its end has. */
  private static final String BEGIN = "Full thread dump ";

  private static final String END = "JNI global refs";

  /** Frames of a thread that are kept; what waits is at the top. */
  private static final int MAX_LINES = 24;

  private ThreadDump() {}

  /**
   * Has a JVM write one to its output and reads it there. Threads in which no code of this program
   * or of its transport runs are left out.
   *
   * @param output the file to which the JVM's output is appended
   */
  static String of(long pid, Path output) throws IOException, InterruptedException {
    long from = Files.size(output);
    Process signal = new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start();
    if (signal.waitFor() != 0) {
      return "(process " + pid + " takes no signal)\n";
    }
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    String written = "";
    while (System.nanoTime() - deadlineNs < 0) {
      written = read(output, from);
      if (written.contains(END)) {
        return relevant(written);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    return "(no whole dump within " + LIMIT.toSeconds() + " s)\n" + relevant(written);
  }

  /** The relevant threads of a dump, and what stands before and behind them. */
  static String relevant(String dump) {
    int begin = dump.indexOf(BEGIN);
    if (begin < 0) {
      return "";
    }
    return Stream.of(dump.substring(begin).split("\n\n", -1))
        .filter(ThreadDump::isRelevant)
        .map(ThreadDump::shortened)
        .collect(Collectors.joining("\n\n", "", "\n"));
  }

  private static boolean isRelevant(String thread) {
    return thread.contains("io.hypersync.")
        || thread.contains("io.netty.incubator.")
        || thread.contains("Java-level deadlock");
  }

  private static String shortened(String thread) {
    List<String> lines = thread.strip().lines().toList();
    return lines.size() <= MAX_LINES
        ? String.join("\n", lines)
        : String.join("\n", lines.subList(0, MAX_LINES)) + "\n\t...";
  }

  private static String read(Path file, long from) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      byte[] bytes = new byte[Math.toIntExact(Math.max(0, open.length() - from))];
      open.seek(from);
      open.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}

package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * After kill -9 under load, a leader recovers everything that it reported as durable (hypersync.md
 * 22.3).
 */
@Tag("slow")
class KillNineTest {
  private static final int ROUNDS = 3;

  @TempDir Path directory;

  @Test
  void everythingPrintedAsDurableSurvivesSigkill() throws Exception {
    long seed = System.nanoTime();
    System.out.println("KillNineTest seed " + seed);
    Random random = new Random(seed);
    long durable = 0;
    for (int round = 0; round < ROUNDS; round++) {
      durable = writeAndKill(durable + 500 + random.nextInt(3000));
      try (TestLog test = TestLog.open(directory)) {
        assertTrue(
            test.lastRecovered() >= durable,
            "seed " + seed + ": printed " + durable + ", recovered " + test.lastRecovered());
        assertEquals(1, test.recovered.getFirst());
        test.verifyAll();
        durable = test.lastRecovered();
      }
    }
  }

  /**
   * Runs the writer until it has printed that index, kills it, and returns the last index it
   * printed.
   */
  private long writeAndKill(long atLeast) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("--"))
            .toList());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            UnderLoad.class.getName(),
            directory.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    long last = 0;
    try (BufferedReader out = process.inputReader()) {
      boolean killed = false;
      @Nullable String line;
      while ((line = out.readLine()) != null) { // to the end: more may be in the pipe
        if (line.startsWith("durable ") && line.endsWith(";")) {
          last = Long.parseLong(line.substring(8, line.length() - 1));
        }
        if (!killed && last >= atLeast) {
          process.toHandle().destroyForcibly(); // unlike Process's own, it keeps the pipe open
          killed = true;
        }
      }
      assertTrue(killed, "the writer ended by itself at " + last);
    } finally {
      process.destroyForcibly().waitFor();
    }
    return last;
  }

  /** The child process: appends forever and prints the durable index. */
  static final class UnderLoad {
    private UnderLoad() {}

    /** Appends to the log in the given directory. */
    public static void main(String[] arguments) throws Exception {
      try (TestLog test = TestLog.open(Path.of(arguments[0]))) {
        long printed = 0;
        while (true) {
          test.append(20);
          test.awaitDurable(test.log.appendedIndex() - 100);
          long durable = test.log.durableIndex();
          if (durable > printed) {
            System.out.println("durable " + durable + ";");
            printed = durable;
          }
        }
      }
    }
  }
}

package io.hypersync.cli.metrics;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Prometheus' own checks of what is shown to it. */
final class Promtool {
  private Promtool() {}

  record Result(int exit, String output) {}

  /**
   * Runs it.
   *
   * @param input what it reads from its standard input
   */
  static Result run(String input, String... arguments) throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 1];
    command[0] = "promtool";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new AssertionError(
          "this test needs promtool: apt-get install --no-install-recommends prometheus", missing);
    }
    process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }
}

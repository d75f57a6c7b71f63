package io.hypersync.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs programs of this machine. */
final class Command {
  private Command() {}

  /**
   * Runs a program to its end.
   *
   * @return its standard output and error
   * @throws IOException with that output, if it cannot be started or exits with another code than 0
   */
  static String run(String... command) throws IOException, InterruptedException {
    return finish(prepare(command).start(), 0, command);
  }

  /** Prepares a program without starting it: no input, standard output and error together. */
  static ProcessBuilder prepare(String... command) {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
  }

  /**
   * Waits for the end of a program.
   *
   * @param expected its expected exit code
   * @return its standard output and error
   * @throws IOException with that output, if it exits with another code
   */
  static String finish(Process process, int expected, String... command)
      throws IOException, InterruptedException {
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    if (status != expected) {
      throw new IOException(
          String.join(" ", command) + " ended with " + status + ": " + said.strip());
    }
    return said;
  }

  /** Whether a program of this name is on the {@code PATH} or in the sbin directories. */
  static boolean exists(String name) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
    return List.of(path.split(":", -1)).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
  }
}

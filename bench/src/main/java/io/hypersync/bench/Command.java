package io.hypersync.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Programs of this machine. */
final class Command {
  private Command() {}

  /**
   * Runs one to its end.
   *
   * @return what it wrote on both outputs
   * @throws IOException with what it wrote, if it fails or is not there
   */
  static String run(String... command) throws IOException, InterruptedException {
    return finish(prepare(command).start(), 0, command);
  }

  /** One that is not started yet: no input, both outputs together. */
  static ProcessBuilder prepare(String... command) {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
  }

  /**
   * Waits for the end of one.
   *
   * @param expected what it is to end with
   * @return what it wrote on both outputs
   * @throws IOException with what it wrote, if it ends with something else
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

  /** Whether there is a program of this name where programs are. */
  static boolean exists(String name) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
    return List.of(path.split(":", -1)).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
  }
}

package io.hypersync.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a launcher to its end. */
final class Launcher {
  /** The launcher of this project. */
  static final Path OURS = Path.of("..", "hypersync").toAbsolutePath().normalize();

  private static final int LIMIT_S = 30;

  /**
   * Runs its arguments, and ends when nobody holds their stderr any more. The launcher's stderr may
   * pass through a process of its own, which can outlive it; Java stops reading what a process
   * prints as soon as that process has ended.
   */
  private static final String TO_THE_LAST_WORD =
      "set -o pipefail; { \"$@\" 2>&1 >&3 | cat >&2; } 3>&1";

  private Launcher() {}

  /** Exit code and output of a launcher. */
  record Said(int exitCode, String out, String err) {}

  /**
   * Runs a launcher to its end.
   *
   * @param environment its whole environment
   */
  static Said run(Path launcher, Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of("/bin/bash", "-c", TO_THE_LAST_WORD, "run", "/bin/bash", launcher.toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "the launcher hangs");
    return new Said(process.exitValue(), out, err);
  }
}

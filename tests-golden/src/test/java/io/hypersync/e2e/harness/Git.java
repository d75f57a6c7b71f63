package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs git without this machine's configuration. */
public final class Git {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "GIT_CONFIG_GLOBAL", "/dev/null",
          "GIT_CONFIG_NOSYSTEM", "1",
          "GIT_AUTHOR_NAME", "E2E",
          "GIT_AUTHOR_EMAIL", "e2e@hypersync.invalid",
          "GIT_COMMITTER_NAME", "E2E",
          "GIT_COMMITTER_EMAIL", "e2e@hypersync.invalid",
          "GIT_TERMINAL_PROMPT", "0");

  private Git() {}

  /** Runs git; it may fail. */
  public static Shell run(Path directory, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
    command.addAll(List.of(arguments));
    return Shell.run(directory, ENVIRONMENT, command);
  }

  /** Runs git; it must succeed. Returns its output. */
  public static String must(Path directory, String... arguments)
      throws IOException, InterruptedException {
    return run(directory, arguments).orFail("git " + String.join(" ", arguments));
  }
}

package io.hypersync.cli.demo;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs programs such as git in an environment that does not depend on the caller's configuration.
 */
final class Tool {
  private final Map<String, String> environment;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();

  /**
   * Creates a runner.
   *
   * @param environment variables that override those of this process
   */
  Tool(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** A git that reads only the demo's configuration. */
  static Tool git(Path globalConfig) {
    return new Tool(
        Map.of(
            "GIT_CONFIG_GLOBAL", globalConfig.toString(),
            "GIT_CONFIG_NOSYSTEM", "1",
            "GIT_TERMINAL_PROMPT", "0",
            "LC_ALL", "C.UTF-8"));
  }

  /**
   * Runs a program and returns its standard output and error.
   *
   * @throws UserError if it cannot be started or fails, with its output
   */
  String run(Path directory, String... command) {
    return run(directory, ProcessBuilder.Redirect.PIPE, List.of(command));
  }

  /** Like {@link #run}, but standard error goes to the terminal at once and is not returned. */
  String runVisibly(Path directory, String... command) {
    return run(directory, ProcessBuilder.Redirect.INHERIT, List.of(command));
  }

  /** Terminates running programs and their descendants. */
  void endRunning() {
    for (Process process : running) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }

  private String run(Path directory, ProcessBuilder.Redirect errors, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().putAll(environment);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    if (errors.equals(ProcessBuilder.Redirect.PIPE)) {
      builder.redirectErrorStream(true);
    } else {
      builder.redirectError(errors);
    }
    try {
      Process process = builder.start();
      running.add(process);
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      running.remove(process);
      if (status != 0) {
        throw new UserError(String.join(" ", command) + " failed with " + status, said.strip());
      }
      return said;
    } catch (IOException failure) {
      throw new UserError(
          "cannot run " + command.getFirst() + ": " + FileProblems.describe(failure),
          "Install " + command.getFirst() + " and run the demo again.");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted while " + command.getFirst() + " ran", "");
    }
  }
}

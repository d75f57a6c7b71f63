package io.hypersync.e2e.harness;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Result of a program, which must end within {@link Await#LIMIT}.
 *
 * @param exit exit code; 137 if the program was killed because it took too long
 * @param output what it wrote to standard output and standard error
 */
public record Shell(int exit, String output) {
  /** Runs a program; it may fail. */
  public static Shell run(Path directory, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    builder.environment().putAll(environment);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    Process process = builder.start();
    Thread _ = Thread.startVirtualThread(() -> killLate(process));
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Shell(process.waitFor(), output);
  }

  /** Runs a program that must succeed; returns its output. */
  public static String must(Path directory, String... command)
      throws IOException, InterruptedException {
    return run(directory, Map.of(), List.of(command)).orFail(String.join(" ", command));
  }

  /** The output; fails unless the program succeeded. */
  public String orFail(String what) {
    if (exit != 0) {
      throw new AssertionError(what + " ended with " + exit + ":\n" + output);
    }
    return output;
  }

  private static void killLate(Process process) {
    try {
      if (!process.waitFor(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException nobodyInterruptsThis) {
      Thread.currentThread().interrupt();
    }
  }
}

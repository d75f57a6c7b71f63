package io.hypersync.worker.takeover;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a worker was started, from {@code /proc}: read while it lives, used when it has died.
 *
 * @param arguments the program first
 * @param environment as {@code NAME=value}
 */
record WorkerCommand(List<String> arguments, List<String> environment, Path folder) {
  private static final String MAIN_CLASS = "io.hypersync.cli.Main";
  private static final String LAUNCHER = "HYPERSYNC_LAUNCHER=";
  private static final String NO_BUILD = "HYPERSYNC_NO_BUILD=";

  WorkerCommand {
    arguments = List.copyOf(arguments);
    environment = List.copyOf(environment);
  }

  /** The command of a process; null if it cannot be read. */
  static @Nullable WorkerCommand of(int pid) {
    Path process = Path.of("/proc", Integer.toString(pid));
    try {
      List<String> arguments = strings(process.resolve("cmdline"));
      if (arguments.isEmpty()) {
        return null;
      }
      arguments.set(0, Files.readSymbolicLink(process.resolve("exe")).toString());
      return new WorkerCommand(
          arguments,
          strings(process.resolve("environ")),
          Files.readSymbolicLink(process.resolve("cwd")));
    } catch (IOException unreadable) {
      return null;
    }
  }

  /**
   * The same worker, started by the launcher of another build.
   *
   * @param launcher an executable file that takes the words of the command line
   * @throws IOException if this process was not started as a worker, or there is no such file
   */
  WorkerCommand by(Path launcher) throws IOException {
    int main = arguments.indexOf(MAIN_CLASS);
    if (main < 0) {
      throw new IOException("it cannot be told how the worker was started");
    }
    if (!Files.isRegularFile(launcher) || !Files.isExecutable(launcher)) {
      throw new IOException(launcher + " is no program");
    }
    List<String> words = new ArrayList<>(List.of(launcher.toString()));
    words.addAll(arguments.subList(main + 1, arguments.size()));
    List<String> variables = new ArrayList<>(environment);
    variables.removeIf(variable -> variable.startsWith(LAUNCHER) || variable.startsWith(NO_BUILD));
    variables.add(NO_BUILD + "1"); // nobody is to wait for a build
    return new WorkerCommand(words, variables, folder);
  }

  /** Starts the same again; its messages go where this process's go. */
  Process start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(arguments)
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    Map<String, String> variables = builder.environment();
    variables.clear();
    for (String variable : environment) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        variables.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    return builder.start();
  }

  private static List<String> strings(Path file) throws IOException {
    List<String> strings = new ArrayList<>();
    byte[] bytes = Files.readAllBytes(file);
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        strings.add(new String(bytes, from, i - from, StandardCharsets.UTF_8));
        from = i + 1;
      }
    }
    return strings;
  }
}

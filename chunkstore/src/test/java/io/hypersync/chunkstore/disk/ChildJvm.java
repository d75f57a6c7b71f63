package io.hypersync.chunkstore.disk;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a main class in a child process. */
final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  ChildJvm(Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    try {
      process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** The next line of its output; null when it has ended. Blocks until then. */
  @Nullable String readLine() throws IOException {
    return output.readLine();
  }

  /** Kills the process with SIGKILL and waits until it has ended. */
  void kill() {
    // Not Process.destroyForcibly(), which also discards the output that has not been read yet.
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}

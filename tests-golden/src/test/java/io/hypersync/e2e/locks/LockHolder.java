package io.hypersync.e2e.locks;

import io.hypersync.e2e.harness.Shell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of flock(1) that reports when it holds the lock, and holds it until it is told to end.
 */
final class LockHolder implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private LockHolder(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a process, which begins to wait for the lock. */
  static LockHolder start(Path file, String... options) throws IOException {
    // A signal that is ignored in the shell that started the tests would be ignored by the child.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT", "flock"));
    command.addAll(List.of(options));
    command.addAll(List.of(file.toString(), "sh", "-c", "echo locked; read -r end"));
    return new LockHolder(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  /** Waits until the process holds the lock. */
  LockHolder awaitLocked() throws IOException {
    String line = output.readLine();
    if (!"locked".equals(line)) {
      throw new AssertionError("instead of having the lock it said: " + line);
    }
    return this;
  }

  /** Whether the process holds the lock by now; true only once. */
  boolean isLocked() throws IOException {
    return output.ready() && "locked".equals(output.readLine());
  }

  /** Sends a signal, by its name without SIG. */
  void signal(String name) throws IOException, InterruptedException {
    Shell.must(Path.of("/"), "kill", "-" + name, Long.toString(process.pid()));
  }

  /** Whether the process ends within ten seconds. */
  boolean endsSoon() throws InterruptedException {
    return process.waitFor(10, TimeUnit.SECONDS);
  }

  /** Makes the process release the lock, or end when it gets the lock. */
  void letGo() throws IOException {
    process.getOutputStream().close();
  }

  /** Releases the lock and waits until the process has ended; kills it if that takes too long. */
  @Override
  public void close() throws IOException {
    letGo();
    try {
      if (!endsSoon()) {
        var _ = process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

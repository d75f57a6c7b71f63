package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Python process that runs statements one after another, and keeps its descriptors open between
 * them.
 */
public final class PythonProcess implements AutoCloseable {
  private static final String LOOP =
      """
      import ctypes, errno, mmap, os, sys, time
      for line in sys.stdin:
          try:
              exec(line, globals())
              print("ok", flush=True)
          except OSError as failure:
              print(errno.errorcode[failure.errno], flush=True)
          except BaseException as failure:
              print(repr(failure), flush=True)
      """;

  private final Process process;
  private final BufferedReader output;

  private PythonProcess(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  public static PythonProcess start() throws IOException {
    return start(List.of());
  }

  /**
   * Starts Python by another program, such as {@code unshare}.
   *
   * @param by that program and its arguments
   */
  public static PythonProcess start(List<String> by) throws IOException {
    List<String> command = new ArrayList<>(by);
    command.addAll(List.of("python3", "-c", LOOP));
    return new PythonProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  long pid() {
    return process.pid();
  }

  /** Runs a program of several lines, which must succeed. */
  public void define(String text) throws IOException {
    String hex = HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    must("exec(bytes.fromhex('" + hex + "').decode(), globals())");
  }

  /** Runs one line; returns {@code ok}, or the name of the errno, or the exception. */
  public String run(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    try {
      // A thread of its own: the common pool has one thread on two processors, and an answer that
      // does not come would hold up the answers of all others.
      return CompletableFuture.supplyAsync(this::answer, PythonProcess::onThreadOfItsOwn)
          .get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in: " + line, interrupted);
    } catch (ExecutionException | TimeoutException failure) {
      throw new AssertionError("not done in " + Await.LIMIT.toSeconds() + " s: " + line, failure);
    }
  }

  private static void onThreadOfItsOwn(Runnable task) {
    var _ = Thread.ofPlatform().daemon().name("python-answer").start(task);
  }

  private String answer() {
    try {
      return String.valueOf(output.readLine());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Runs one line, which must succeed. */
  public void must(String line) throws IOException {
    assertEquals("ok", run(line), line);
  }

  /** Ends the process, which closes its descriptors. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        var _ = process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A Python that makes system calls one after another and keeps what it has open meanwhile. */
final class PythonProcess implements AutoCloseable {
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

  static PythonProcess start() throws IOException {
    return new PythonProcess(
        new ProcessBuilder("python3", "-c", LOOP).redirectErrorStream(true).start());
  }

  /** Runs one line; returns {@code ok}, or the errno or exception that it ended with. */
  String run(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    return String.valueOf(output.readLine());
  }

  /** Runs one line, which must succeed. */
  void must(String line) throws IOException {
    assertEquals("ok", run(line), line);
  }

  /** Ends it, and with it all that it has open. */
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

package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Measures how often the first look on one mount, right after a call on another mount has returned,
 * shows the state before that call. Prints a table; fails only if a look never shows the new state
 * (docs/kernel-caching.md, How fresh).
 *
 * <p>{@code -Dhypersync.freshness.tries=500} makes more tries; {@code -Dhypersync.freshness.load=2}
 * runs that many writing processes on each mount meanwhile.
 */
@RealMounts
class FirstLookTest {
  @RegisterExtension static final TestClusterExtension EXTENSION = new TestClusterExtension();

  private static final int TRIES = Integer.getInteger("hypersync.freshness.tries", 20);
  private static final int LOAD = Integer.getInteger("hypersync.freshness.load", 0);

  /** One process uses both mounts, so that only the return of the call triggers the look. */
  private static final String LOOK =
      """
      import os, sys, time
      top_a, top_b, tries = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def put(path, text):
          fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
          os.write(fd, text)
          os.close(fd)
      def get(path):
          try:
              with open(path, "rb") as file:
                  return file.read()
          except FileNotFoundError:
              return None
      def there(path):
          try:
              os.stat(path)
              return True
          except FileNotFoundError:
              return False
      def name(i):
          os.mkdir(f"{a}/new{i}")
          return lambda: there(f"{b}/new{i}")
      def data(i):
          os.pwrite(handles[i], b"%08d" % i, 0)
          return lambda: get(f"{b}/f{i}") == b"%08d" % i
      def size(i):
          os.truncate(f"{a}/f{i}", 100 + i)
          return lambda: os.stat(f"{b}/f{i}").st_size == 100 + i
      def rename(i):
          os.rename(f"{a}/f{i}", f"{a}/g{i}")
          return lambda: not there(f"{b}/f{i}") and there(f"{b}/g{i}")
      def unlink(i):
          os.unlink(f"{a}/f{i}")
          return lambda: not there(f"{b}/f{i}")
      for kind in [name, data, size, rename, unlink]:
          a, b = f"{top_a}/{kind.__name__}", f"{top_b}/{kind.__name__}"
          os.mkdir(a)
          for i in range(tries):
              put(f"{a}/f{i}", b"old data")
          handles = [os.open(f"{a}/f{i}", os.O_WRONLY) for i in range(tries)]
          while get(f"{b}/f{tries - 1}") != b"old data":
              time.sleep(0.001)
          time.sleep(1.1)  # b's kernel keeps names of a directory that is quiet
          for i in range(tries):
              there(f"{b}/new{i}")
              get(f"{b}/f{i}")
          old, longest = 0, 0
          for i in range(tries):
              look = kind(i)
              began = time.monotonic()
              if not look():
                  old += 1
                  while not look():
                      pass
                  longest = max(longest, time.monotonic() - began)
          for handle in handles:
              os.close(handle)
          print(f"{kind.__name__:7} old in {old} of {tries}, longest {longest * 1000:.1f} ms")
      """;

  private static final String WRITE =
      """
      import os, sys
      os.mkdir(sys.argv[1])
      i = 0
      while True:
          i += 1
          path = f"{sys.argv[1]}/{i % 50}"
          fd = os.open(path, os.O_WRONLY | os.O_CREAT)
          os.write(fd, bytes(4096))
          os.close(fd)
          if i % 3 == 0:
              os.unlink(path)
      """;

  @Test
  @LongVersion
  void whatACallHasDoneIsSeenElsewhereAtOnceOrSoon() throws Exception {
    Path a = Files.createTempDirectory(EXTENSION.mount("a"), "look-");
    Path b = EXTENSION.mount("b").resolve(a.getFileName());
    Await.until(b + " is there", () -> Files.exists(b));
    List<Process> writers = new ArrayList<>();
    try {
      for (int i = 0; i < LOAD; i++) {
        writers.add(start(WRITE, a.resolve("load-a" + i)));
        writers.add(start(WRITE, b.resolve("load-b" + i)));
      }
      List<String> command =
          List.of("python3", "-c", LOOK, a.toString(), b.toString(), Integer.toString(TRIES));
      String table = Shell.run(Path.of("/"), Map.of(), command).orFail("the looks");
      System.err.print(table);
      assertEquals(5, table.lines().count(), table);
      for (Process writer : writers) {
        assertTrue(writer.isAlive(), "a writer has failed");
      }
    } finally {
      for (Process writer : writers) {
        var _ = writer.destroyForcibly();
        var _ = writer.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private static Process start(String script, Path folder) throws IOException {
    return new ProcessBuilder("python3", "-c", script, folder.toString())
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}

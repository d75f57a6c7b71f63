package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process that watches a directory, and what it has heard. */
public final class InotifyWatcher implements AutoCloseable {
  private static final String PROGRAM =
      """
      import ctypes, os, struct, sys
      libc = ctypes.CDLL(None)
      names = {0x2: 'MODIFY', 0x100: 'CREATE', 0x200: 'DELETE',
               0x40000100: 'CREATE,ISDIR', 0x40000200: 'DELETE,ISDIR'}
      fd = libc.inotify_init()
      assert libc.inotify_add_watch(fd, sys.argv[1].encode(), 0x302) >= 0
      print('ready', flush=True)
      while True:
          data = os.read(fd, 65536)
          while data:
              _, mask, _, length = struct.unpack_from('iIII', data)
              name = data[16:16 + length].rstrip(bytes(1)).decode()
              print(names.get(mask, hex(mask)), name, flush=True)
              data = data[16 + length:]
      """;

  private final Process process;
  private final StringBuilder heard = new StringBuilder();

  private InotifyWatcher(Process process) {
    this.process = process;
    Thread.ofPlatform().daemon().name("watcher").start(this::listen);
  }

  /** Watches a directory for CREATE, DELETE and MODIFY, from when this returns. */
  public static InotifyWatcher of(Path directory) throws IOException, InterruptedException {
    InotifyWatcher watcher =
        new InotifyWatcher(
            new ProcessBuilder("python3", "-c", PROGRAM, directory.toString())
                .redirectErrorStream(true)
                .start());
    boolean isReady = false;
    try {
      Await.until(
          "a watcher of " + directory + " is ready, or has ended",
          () -> watcher.has("ready") || !watcher.process.isAlive());
      isReady = watcher.has("ready");
    } finally {
      if (!isReady) {
        watcher.close();
      }
    }
    if (!isReady) {
      throw new AssertionError("cannot watch " + directory + ": " + watcher.heard());
    }
    return watcher;
  }

  private void listen() {
    try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        synchronized (heard) {
          heard.append(line).append('\n');
        }
      }
    } catch (IOException ended) {
      // its process has been ended
    }
  }

  /** All that it has heard, one event a line, as {@code CREATE name}. */
  public String heard() {
    synchronized (heard) {
      return heard.toString();
    }
  }

  private boolean has(String line) {
    return heard().lines().anyMatch(line::equals);
  }

  /** Waits until it has heard each of these. */
  public void awaitEvents(String... events) throws InterruptedException {
    for (String event : events) {
      Await.until("a watcher hears " + event, () -> has(event));
    }
  }

  @Override
  public void close() {
    var _ = process.destroyForcibly();
  }
}

package io.hypersync.e2e.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Appends lines to a file, until it is ended; each call must succeed, and be there once. */
final class Appends implements AutoCloseable {
  private static final int WRITERS = 4;
  private final Path file;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
  private volatile boolean stopped;
  private int written;
  private long longestMs;

  private Appends(Path file) {
    this.file = file;
  }

  static Appends start(Path file) throws Exception {
    Files.createFile(file);
    Appends appends = new Appends(file);
    for (int i = 0; i < WRITERS; i++) {
      String name = "w" + i;
      appends.threads.add(Thread.ofPlatform().start(() -> appends.write(name)));
    }
    return appends;
  }

  private void write(String name) {
    try {
      for (int n = 0; !stopped; n++) {
        long begunNs = System.nanoTime();
        Files.writeString(file, name + " " + n + "\n", StandardOpenOption.APPEND);
        long tookMs = (System.nanoTime() - begunNs) / 1_000_000;
        synchronized (this) {
          written++;
          longestMs = Math.max(longestMs, tookMs);
        }
      }
    } catch (Exception | Error e) {
      failed.compareAndSet(null, e);
    }
  }

  synchronized int written() {
    return written;
  }

  void awaitProgress() throws Exception {
    int before = written();
    Await.until("they write", () -> written() > before + 50 || failed.get() != null);
  }

  void end() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  void check() throws Exception {
    if (failed.get() != null) {
      throw new AssertionError("a writer saw the hand-over", failed.get());
    }
    List<String> lines = Files.readAllLines(file);
    assertEquals(written(), lines.size(), "each append once");
    assertEquals(written(), lines.stream().distinct().count(), "and none twice");
  }

  @Override
  public void close() {
    try {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The longest time that one of them took, in milliseconds. */
  synchronized long longestMs() {
    return longestMs;
  }
}

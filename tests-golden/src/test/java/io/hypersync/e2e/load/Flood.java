package io.hypersync.e2e.load;

import io.hypersync.e2e.harness.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Callers that write without pause, each the same few bytes repeatedly into a file of its own:
 * every call is one intent, and no file grows.
 */
public final class Flood implements AutoCloseable {
  private static final int BYTES = 100;

  private final List<FileChannel> files = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Long> latenciesNs = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  private Flood() {}

  /** Creates the files, but does not write yet. */
  public static Flood prepare(Path directory, int callers) throws IOException {
    Flood flood = new Flood();
    try {
      for (int i = 0; i < callers; i++) {
        flood.files.add(
            FileChannel.open(
                directory.resolve("flood" + i),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE));
      }
      return flood;
    } catch (IOException | RuntimeException | Error failure) {
      flood.closeFiles();
      throw failure;
    }
  }

  /** Starts all callers. */
  public void start() {
    for (FileChannel file : files) {
      threads.add(Thread.ofPlatform().name("flood").start(() -> write(file)));
    }
  }

  /** Stops all callers after their present calls; fails if any call has failed. */
  public Latencies end() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join(Await.LIMIT);
      if (thread.isAlive()) {
        throw new AssertionError("a write does not end");
      }
    }
    Throwable failure = failures.peek();
    if (failure != null) {
      throw new AssertionError("a call of the flood has failed", failure);
    }
    return new Latencies(List.copyOf(latenciesNs));
  }

  @Override
  public void close() throws IOException {
    stopped = true;
    closeFiles();
  }

  private void closeFiles() throws IOException {
    for (FileChannel file : files) {
      file.close();
    }
  }

  private void write(FileChannel file) {
    try {
      while (!stopped) {
        long beganNs = System.nanoTime();
        int written = file.write(ByteBuffer.allocate(BYTES), 0);
        if (written != BYTES) {
          throw new AssertionError("one write(2) takes it whole, not " + written + " bytes");
        }
        latenciesNs.add(System.nanoTime() - beganNs);
      }
    } catch (IOException | RuntimeException | Error failure) {
      failures.add(failure);
    }
  }
}

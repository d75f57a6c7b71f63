package io.hypersync.e2e.load;

import io.hypersync.e2e.harness.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Appends one record after another until its mount dies. */
public final class VictimLoad implements AutoCloseable {
  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean stopped;

  private VictimLoad(Path journal, String name) {
    thread = Thread.ofPlatform().name(name).unstarted(() -> append(journal, name));
  }

  /** Starts a load whose records begin with {@code record-}. */
  public static VictimLoad start(Path journal) {
    return start(journal, "record");
  }

  /** Starts a load whose records begin with {@code name-}. */
  public static VictimLoad start(Path journal, String name) {
    VictimLoad load = new VictimLoad(journal, name);
    load.thread.start();
    return load;
  }

  public void awaitRecords(int count) throws InterruptedException {
    Await.until(count + " records", () -> acknowledged.size() >= count);
  }

  /** Waits until the mount is dead; returns the records acknowledged before. */
  public List<String> end() throws InterruptedException {
    thread.join(Await.LIMIT);
    if (thread.isAlive()) {
      throw new AssertionError("a write to a dead mount hangs");
    }
    return List.copyOf(acknowledged);
  }

  @Override
  public void close() {
    stopped = true;
  }

  private void append(Path path, String name) {
    try (FileChannel journal = FileChannel.open(path, StandardOpenOption.APPEND)) {
      for (int i = 0; !stopped; i++) {
        String record = name + "-" + i;
        journal.write(ByteBuffer.wrap((record + "\n").getBytes(StandardCharsets.UTF_8)));
        acknowledged.add(record);
      }
    } catch (IOException dead) {
      stopped = true;
    }
  }
}

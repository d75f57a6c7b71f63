package io.hypersync.e2e.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that create, overwrite, append, rename and unlink files, each in a directory of its own.
 * Each writer keeps the expected content (hypersync.md 0.1.2): everything that was acknowledged,
 * and nothing that was refused. After EIO either outcome is allowed, and the files of that call are
 * not used any more.
 *
 * <p>The load can be stopped and started again; {@link #check} may be called only while it is
 * stopped.
 */
public final class PowerLoad implements AutoCloseable {
  private static final int MAX_FILES = 24;
  private static final int PAGE_BYTES = 4096;
  private static final int MAX_PAGES = 16;
  private static final int MAX_APPEND_BYTES = 3_000;

  /** Several chunks, which are too large for an inline payload. */
  private static final int MAX_LARGE_BYTES = 300_000;

  private static final int REFUSED_PAUSE_MS = 5;

  private final List<Writer> writers = new ArrayList<>();
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /**
   * Creates the directories.
   *
   * @param seed determines the calls of the writers
   */
  public PowerLoad(Path mount, int writers, long seed) throws IOException {
    for (int i = 0; i < writers; i++) {
      Path folder = Files.createDirectory(mount.resolve("writer-" + i));
      this.writers.add(new Writer(folder, new Random(seed + i)));
    }
  }

  /** Starts the writers, for the first time or again. */
  public void start() {
    stopping = false;
    for (Writer writer : writers) {
      threads.add(Thread.ofPlatform().name("power-load").start(() -> run(writer)));
    }
  }

  /** Lets writers make no further calls; does not wait. */
  public void stopSoon() {
    stopping = true;
  }

  /** Stops the writers, and waits until their present calls have ended. */
  public void stop() throws InterruptedException {
    stopSoon();
    for (Thread thread : threads) {
      thread.join(Await.LIMIT);
      if (thread.isAlive()) {
        throw new AssertionError("a call hangs");
      }
    }
    threads.clear();
  }

  /** Waits until this many more calls are acknowledged. */
  public void awaitProgress(int more) throws InterruptedException {
    long goal = acknowledged.get() + more;
    Await.until(more + " more acknowledged calls", () -> acknowledged.get() >= goal);
  }

  /** Fails unless a mount that has caught up shows exactly the expected content. */
  public void check(Path mount) throws IOException {
    assertEquals(List.of(), List.copyOf(surprises), "calls that ended as none may");
    for (Writer writer : writers) {
      writer.check(mount.resolve(writer.folder.getFileName()));
    }
  }

  /** Lets writers make no further calls. */
  @Override
  public void close() {
    stopSoon();
  }

  @Override
  public String toString() {
    return "%d calls acknowledged, %d refused, %d unknown"
        .formatted(acknowledged.get(), refused.get(), unknown.get());
  }

  private void run(Writer writer) {
    try {
      while (!stopping) {
        writer.step();
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  /** A writer's directory and its expected content. */
  private final class Writer {
    private final Path folder;
    private final Random random;
    private final TreeMap<String, byte[]> files = new TreeMap<>();
    private final Set<String> doubtful = new TreeSet<>();
    private int made;

    Writer(Path folder, Random random) {
      this.folder = folder;
      this.random = random;
    }

    void step() throws InterruptedException {
      int choice = random.nextInt(100);
      if (files.isEmpty() || (choice < 15 && files.size() < MAX_FILES)) {
        create();
      } else if (choice < 50) {
        byte[] page = bytes(PAGE_BYTES);
        write(any(), page, (long) random.nextInt(MAX_PAGES) * PAGE_BYTES);
      } else if (choice < 75) {
        append(any(), bytes(1 + random.nextInt(MAX_APPEND_BYTES)));
      } else if (choice < 80) {
        write(any(), bytes(1 + random.nextInt(MAX_LARGE_BYTES)), 0);
      } else if (choice < 88) {
        rename(any(), newName());
      } else if (choice < 93) {
        rename(any(), any());
      } else {
        unlink(any());
      }
    }

    private void create() throws InterruptedException {
      String name = newName();
      attempt(
          Set.of(name),
          () -> Files.createFile(folder.resolve(name)),
          () -> files.put(name, new byte[0]));
    }

    private void write(String name, byte[] bytes, long offset) throws InterruptedException {
      attempt(
          Set.of(name),
          () -> writeAtOnce(name, bytes, offset, StandardOpenOption.WRITE),
          () -> {
            byte[] before = content(name);
            byte[] after =
                Arrays.copyOf(before, Math.max(before.length, (int) offset + bytes.length));
            System.arraycopy(bytes, 0, after, (int) offset, bytes.length);
            files.put(name, after);
          });
    }

    private void append(String name, byte[] bytes) throws InterruptedException {
      attempt(
          Set.of(name),
          () -> writeAtOnce(name, bytes, 0, StandardOpenOption.APPEND),
          () -> {
            byte[] before = content(name);
            byte[] after = Arrays.copyOf(before, before.length + bytes.length);
            System.arraycopy(bytes, 0, after, before.length, bytes.length);
            files.put(name, after);
          });
    }

    private void rename(String name, String newName) throws InterruptedException {
      attempt(
          new TreeSet<>(List.of(name, newName)),
          () -> Directories.replace(folder.resolve(name), folder.resolve(newName)),
          () -> {
            byte[] content = content(name);
            files.remove(name);
            files.put(newName, content);
          });
    }

    private void unlink(String name) throws InterruptedException {
      attempt(Set.of(name), () -> Files.delete(folder.resolve(name)), () -> files.remove(name));
    }

    /** Writes by one write(2). */
    private void writeAtOnce(String name, byte[] bytes, long offset, OpenOption option)
        throws IOException {
      try (FileChannel file = FileChannel.open(folder.resolve(name), option)) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int written =
            option == StandardOpenOption.APPEND ? file.write(buffer) : file.write(buffer, offset);
        assertEquals(bytes.length, written, "a short write");
      }
    }

    private void attempt(Set<String> names, Errnos.Call call, Runnable acknowledge)
        throws InterruptedException {
      String errno = Errnos.of(call);
      switch (errno) {
        case Errnos.NONE -> {
          acknowledge.run();
          acknowledged.incrementAndGet();
        }
        case "EROFS" -> {
          refused.incrementAndGet();
          Thread.sleep(REFUSED_PAUSE_MS);
        }
        case "EIO" -> {
          unknown.incrementAndGet();
          names.forEach(files::remove);
          doubtful.addAll(names);
        }
        default -> throw new AssertionError(names + " ended with " + errno);
      }
    }

    void check(Path folderThere) throws IOException {
      Set<String> names = new TreeSet<>(Directories.names(folderThere));
      names.removeAll(doubtful);
      assertEquals(files.keySet(), names, "files in " + folderThere);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        assertArrayEquals(
            file.getValue(),
            Files.readAllBytes(folderThere.resolve(file.getKey())),
            () -> "content of " + file.getKey() + " in " + folderThere);
      }
    }

    private byte[] content(String name) {
      return files.getOrDefault(name, new byte[0]);
    }

    private String newName() {
      return "f" + made++;
    }

    private String any() {
      return List.copyOf(files.keySet()).get(random.nextInt(files.size()));
    }

    private byte[] bytes(int length) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      return bytes;
    }
  }
}

package io.hypersync.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes files all the time, while their number and size stay the same: what editors, logs and
 * builds do to a tree that lives for weeks. No two blocks that are written are the same.
 *
 * <p>{@value #THREADS} threads work on {@value #FILES} files each, of {@value #FILE_BYTES} to
 * {@value #LARGEST_BYTES} bytes, which is 14 MiB and a little. Of a hundred steps, 40 save a file
 * by writing another one and renaming it, 30 overwrite a block, 20 append to a file, and 10 remove
 * a file and make it anew. A file that appends have made too large is saved anew.
 */
final class Churn {
  static final int THREADS = 16;
  static final int FILES = 56;
  static final int FILE_BYTES = 16 << 10;
  static final int LARGEST_BYTES = 20 << 10;
  private static final int BLOCK_BYTES = 4 << 10;
  private static final int APPENDED_BYTES = 512;
  private static final int SAVES = 40;
  private static final int OVERWRITES = 70;
  private static final int APPENDS = 90;
  private static final int ALL = 100;
  private static final int POLL_MS = 20;
  private static final long JOIN_LIMIT_MS = 2_000;

  private final LongSupplier commitIndex;
  private final List<Share> shares = new ArrayList<>();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
  private volatile List<Thread> running = List.of();
  private volatile boolean pausing;
  private volatile boolean stopped;

  /**
   * Creates the load; no file is made yet.
   *
   * @param commitIndex how many entries the log has
   * @param folder on a mount; made if it is missing
   */
  Churn(LongSupplier commitIndex, Path folder) {
    this.commitIndex = commitIndex;
    for (int i = 0; i < THREADS; i++) {
      shares.add(new Share(folder.resolve("t" + i), i));
    }
  }

  /**
   * Changes files until the log has so many entries, or some more: the log is asked {@value
   * #POLL_MS} ms apart.
   *
   * @return how many entries it has then
   * @throws IOException the first that a thread has met
   * @throws InterruptedException also after {@link #stop}
   */
  long until(long entries) throws IOException, InterruptedException {
    pausing = false;
    List<Thread> threads = new ArrayList<>();
    for (Share share : shares) {
      threads.add(Thread.ofPlatform().name("bench-churn").daemon().start(() -> work(share)));
    }
    running = threads;
    while (commitIndex.getAsLong() < entries && !stopped && failure.get() == null) {
      Thread.sleep(POLL_MS);
    }
    pausing = true;
    for (Thread thread : threads) {
      thread.join();
    }
    if (stopped) {
      throw new InterruptedException("stopped");
    }
    IOException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    return commitIndex.getAsLong();
  }

  /** Stops for good; waits {@link #JOIN_LIMIT_MS} for each thread. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : running) {
      thread.join(JOIN_LIMIT_MS);
    }
  }

  private void work(Share share) {
    try {
      share.fill();
      while (!pausing && !stopped) {
        share.step();
      }
    } catch (IOException e) {
      failure.compareAndSet(null, e);
    }
  }

  /** The files of one thread. */
  private static final class Share {
    private final Path folder;
    private final SplittableRandom random;
    private final Payload whole = new Payload(FILE_BYTES);
    private final Payload block = new Payload(BLOCK_BYTES);
    private final Payload line = new Payload(APPENDED_BYTES);
    private boolean filled;

    Share(Path folder, int seed) {
      this.folder = folder;
      this.random = new SplittableRandom(seed);
    }

    /** Makes the files, the first time. */
    void fill() throws IOException {
      if (!filled) {
        Files.createDirectories(folder);
        for (int i = 0; i < FILES; i++) {
          write(file(i));
        }
        filled = true;
      }
    }

    void step() throws IOException {
      Path file = file(random.nextInt(FILES));
      int kind = random.nextInt(ALL);
      if (kind < SAVES) {
        save(file);
      } else if (kind < OVERWRITES) {
        overwrite(file);
      } else if (kind < APPENDS) {
        append(file);
      } else {
        Files.delete(file);
        write(file);
      }
    }

    private Path file(int number) {
      return folder.resolve("f" + number);
    }

    private void write(Path file) throws IOException {
      try (FileChannel made =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        FileWork.writeAll(made, whole.next());
      }
    }

    private void save(Path file) throws IOException {
      Path fresh = folder.resolve("saved");
      write(fresh);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void overwrite(Path file) throws IOException {
      try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
        open.position((long) random.nextInt(FILE_BYTES / BLOCK_BYTES) * BLOCK_BYTES);
        FileWork.writeAll(open, block.next());
      }
    }

    private void append(Path file) throws IOException {
      boolean isFull;
      try (FileChannel open = FileChannel.open(file, StandardOpenOption.APPEND)) {
        FileWork.writeAll(open, line.next());
        isFull = open.size() > LARGEST_BYTES;
      }
      if (isFull) {
        save(file);
      }
    }
  }
}

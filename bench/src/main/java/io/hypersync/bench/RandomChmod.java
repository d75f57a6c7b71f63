package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that change the permissions of files anywhere in a workspace: each call is one commit and
 * changes another node.
 */
final class RandomChmod {
  private static final int THREADS = 4;
  private static final long MAX_NS = 60_000_000_000L;
  private static final int DIGITS = 3;
  private static final Set<PosixFilePermission> USUAL =
      Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final Set<PosixFilePermission> OTHER = Set.of(PosixFilePermission.OWNER_READ);

  private final LongFunction<Path> file;
  private final long files;
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /**
   * Creates the load.
   *
   * @param file gives a path by a number
   * @param files how many numbers there are, from 0
   */
  RandomChmod(LongFunction<Path> file, long files) {
    this.file = file;
    this.files = files;
  }

  /** Changes so many files that are spread evenly over all of them. */
  void change(int count) throws IOException, InterruptedException {
    AtomicLong next = new AtomicLong();
    run(
        (random, permissions) -> {
          long number = next.getAndIncrement();
          if (number >= count) {
            return false;
          }
          Files.setPosixFilePermissions(file.apply(number * files / count), permissions);
          return true;
        });
  }

  /** Changes files for so long, and returns how long each call has taken, in nanoseconds. */
  Histogram measure(long durationNs) throws IOException, InterruptedException {
    Histogram all = new Histogram(MAX_NS, DIGITS);
    long untilNs = System.nanoTime() + durationNs;
    run(
        (random, permissions) -> {
          Path path = file.apply(random.nextLong(files));
          long beganNs = System.nanoTime();
          Files.setPosixFilePermissions(path, permissions);
          long nowNs = System.nanoTime();
          synchronized (all) {
            all.recordValue(Math.min(MAX_NS, nowNs - beganNs));
          }
          return nowNs < untilNs;
        });
    return all;
  }

  /** Ends what is under way. */
  void stop() {
    stopped = true;
  }

  @FunctionalInterface
  private interface Step {
    boolean run(SplittableRandom random, Set<PosixFilePermission> permissions) throws IOException;
  }

  private void run(Step step) throws IOException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().name("bench-chmod").daemon().start(() -> repeat(step)));
    }
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
  }

  private void repeat(Step step) {
    SplittableRandom random = new SplittableRandom();
    try {
      boolean isOther = random.nextBoolean();
      while (!stopped && step.run(random, isOther ? OTHER : USUAL)) {
        isOther = !isOther;
      }
    } catch (IOException e) {
      failure.compareAndSet(null, e);
    }
  }
}

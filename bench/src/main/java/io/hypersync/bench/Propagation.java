package io.hypersync.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/**
 * Times from the acknowledgement of a change on one mount until another mount shows it, without
 * other load.
 *
 * @param change what is changed
 * @param p50Ns the median
 * @param p99Ns the 99th percentile
 */
record Propagation(Change change, long p50Ns, long p99Ns) {
  private static final int ROUNDS = 500;
  private static final int PAUSE_MS = 10;
  private static final long LIMIT_NS = 10_000_000_000L;
  private static final double MEDIAN = 0.5;
  private static final double LATE = 0.99;

  /** Kinds of changes. */
  enum Change {
    /** Eight bytes of a file are overwritten; the other mount has the file open, and reads. */
    CONTENT,
    /** A directory is created; the other mount has a negative dentry for its name. */
    NAME;

    /** Returns the name in reports. */
    String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @FunctionalInterface
  private interface Seen {
    boolean test() throws IOException;
  }

  /**
   * Makes {@link #ROUNDS} changes of each kind on one mount, and polls the other.
   *
   * @param stopped polled before each change
   * @throws InterruptedException if it was stopped
   */
  static List<Propagation> measure(Path changing, Path looking, BooleanSupplier stopped)
      throws IOException, InterruptedException {
    return List.of(content(changing, looking, stopped), name(changing, looking, stopped));
  }

  private static void pause(BooleanSupplier stopped) throws InterruptedException {
    Thread.sleep(PAUSE_MS);
    if (stopped.getAsBoolean()) {
      throw new InterruptedException("stopped");
    }
  }

  private static Propagation content(Path changing, Path looking, BooleanSupplier stopped)
      throws IOException, InterruptedException {
    Path file = Files.write(changing.resolve("seen"), new byte[Long.BYTES]);
    Path there = looking.resolve("seen");
    until(() -> Files.exists(there));
    long[] delays = new long[ROUNDS];
    ByteBuffer bytes = ByteBuffer.allocateDirect(Long.BYTES);
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE);
        FileChannel in = FileChannel.open(there)) {
      for (int i = 0; i < ROUNDS; i++) {
        pause(stopped);
        long value = 1L + i;
        out.write(bytes.clear().putLong(value).flip(), 0);
        delays[i] =
            until(
                () -> {
                  int read = in.read(bytes.clear(), 0);
                  return read == Long.BYTES && bytes.getLong(0) == value;
                });
      }
    }
    return of(Change.CONTENT, delays);
  }

  private static Propagation name(Path changing, Path looking, BooleanSupplier stopped)
      throws IOException, InterruptedException {
    long[] delays = new long[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      Path there = looking.resolve("name-" + i);
      if (Files.exists(there)) {
        throw new IOException(there + " is there already");
      }
      pause(stopped);
      Files.createDirectory(changing.resolve("name-" + i));
      delays[i] = until(() -> Files.exists(there));
    }
    return of(Change.NAME, delays);
  }

  /** Polls until the change is seen; returns how long that took, in nanoseconds. */
  private static long until(Seen seen) throws IOException {
    long beganNs = System.nanoTime();
    long now = beganNs;
    boolean found = seen.test();
    while (!found && now - beganNs < LIMIT_NS) {
      found = seen.test();
      now = System.nanoTime();
    }
    if (!found) {
      throw new IOException("a change was not seen on the other mount within 10 s");
    }
    return System.nanoTime() - beganNs;
  }

  private static Propagation of(Change change, long[] delays) {
    Arrays.sort(delays);
    return new Propagation(
        change, delays[(int) (delays.length * MEDIAN)], delays[(int) (delays.length * LATE)]);
  }
}

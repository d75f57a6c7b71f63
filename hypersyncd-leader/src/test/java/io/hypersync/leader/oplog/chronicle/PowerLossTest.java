package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Power fails during a sync: the disk has what earlier syncs covered, and any subset of the pages
 * dirtied since. Nothing that was durable is lost, and the log starts (hypersync.md 22.3).
 */
@Tag("slow")
class PowerLossTest {
  private static final int RUNS = 15;

  @TempDir Path directory;

  static List<Long> seeds() {
    return new Random(System.nanoTime()).longs(RUNS).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatWasSyncedSurvives(long seed) throws IOException {
    Random random = new Random(seed);
    Path log = directory.resolve("0");
    long durable = 0;
    for (int round = 0; round < 4; round++) {
      Path image = directory.resolve(String.valueOf(round + 1));
      Files.createDirectories(log);
      LossyDisk disk = new LossyDisk(log, image, random, 1 + random.nextInt(60));
      durable = Math.max(durable, writeUntilPowerFails(log, disk, random, durable, seed));
      log = image;
    }
    try (TestLog test = TestLog.open(log)) {
      assertTrue(
          test.lastRecovered() >= durable,
          "seed " + seed + ": recovered " + test.lastRecovered() + " of " + durable);
      test.verifyAll();
    }
  }

  /** Returns the last index that was reported durable. */
  private static long writeUntilPowerFails(
      Path log, LossyDisk disk, Random random, long durable, long seed) throws IOException {
    TestLog test;
    try {
      test = TestLog.open(log, TestLog.SMALL, disk);
    } catch (IOException e) {
      assertTrue(disk.failed(), "seed " + seed + ": " + e);
      return 0; // it failed while the segment was being created
    }
    try {
      assertTrue(
          test.lastRecovered() >= durable,
          "seed " + seed + ": recovered " + test.lastRecovered() + " of " + durable);
      while (!disk.failed()) {
        test.append(1 + random.nextInt(60));
        if (random.nextInt(3) == 0) {
          test.awaitDurable(test.log.appendedIndex());
        }
      }
    } catch (RuntimeException e) {
      assertTrue(disk.failed(), "seed " + seed + ": " + e);
    } finally {
      test.close();
    }
    return test.log.durableIndex();
  }

  /**
   * Remembers what durable writes have written to each segment; fails once, and leaves an image of
   * the disk.
   */
  private static final class LossyDisk implements SegmentWrite {
    private final Path log;
    private final Path image;
    private final Random random;
    private final Map<String, byte[]> synced = new HashMap<>();
    private int syncsLeft;
    private volatile boolean failed;

    LossyDisk(Path log, Path image, Random random, int syncsLeft) throws IOException {
      this.log = log;
      this.image = image;
      this.random = new Random(random.nextLong());
      this.syncsLeft = syncsLeft;
      for (Path segment : Disk.segments(log)) { // what the last power loss left is on disk
        synced.put(name(segment), Files.readAllBytes(segment.resolve(SegmentLayout.CYCLE_FILE)));
      }
    }

    boolean failed() {
      return failed;
    }

    @Override
    public void write(Path file, FileChannel channel, ByteBuffer bytes, long offset)
        throws IOException {
      int length = bytes.remaining();
      SegmentWrite.DSYNC.write(file, channel, bytes, offset);
      byte[] current = Files.readAllBytes(file);
      byte[] onDisk = synced.computeIfAbsent(name(file.getParent()), n -> new byte[current.length]);
      if (--syncsLeft == 0) {
        for (int page = 0; page < current.length; page += SegmentLayout.PAGE_BYTES) {
          if (random.nextBoolean()) {
            System.arraycopy(current, page, onDisk, page, SegmentLayout.PAGE_BYTES);
          }
        }
        leaveImage();
        failed = true;
        throw new IOException("the power has failed");
      }
      System.arraycopy(current, (int) offset, onDisk, (int) offset, length);
    }

    private void leaveImage() throws IOException {
      try (var entries = Files.newDirectoryStream(log)) {
        for (Path segment : entries) {
          if (!Files.isDirectory(segment)) {
            continue;
          }
          byte @Nullable [] onDisk = synced.get(name(segment));
          Path target = image.resolve(segment.getFileName());
          Files.createDirectories(target);
          if (onDisk != null) {
            Files.write(target.resolve(SegmentLayout.CYCLE_FILE), onDisk);
          }
        }
      }
    }

    /** The part of the name that publishing does not change. */
    private static String name(Path segment) {
      String name = segment.getFileName().toString();
      return name.substring(name.indexOf('-'));
    }
  }
}

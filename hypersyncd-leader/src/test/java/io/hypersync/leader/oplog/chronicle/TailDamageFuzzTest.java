package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random damage after the last entry that the log proves to have been durable: the log always
 * starts, and never loses such an entry.
 */
@Tag("slow")
class TailDamageFuzzTest {
  private static final int RUNS = 25;

  @TempDir Path directory;

  static List<Long> seeds() {
    return new Random(System.nanoTime()).longs(RUNS).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void damageBehindTheWatermarkIsHarmless(long seed) throws IOException {
    Random random = new Random(seed);
    Path log = directory.resolve("0");
    for (int round = 0; round < 3; round++) {
      Path image = directory.resolve(String.valueOf(round + 1));
      try (TestLog test = TestLog.open(log)) {
        for (int burst = random.nextInt(5); burst >= 0; burst--) {
          test.append(1 + random.nextInt(40));
          if (random.nextBoolean()) {
            test.awaitDurable(test.log.appendedIndex());
          }
        }
        test.awaitDurable(test.log.appendedIndex());
        Disk.copy(log, image);
      }
      long provenDurable = damageTail(Disk.lastFile(image), random);
      try (TestLog test = TestLog.open(image)) {
        assertTrue(
            test.lastRecovered() >= provenDurable,
            "seed " + seed + ": recovered " + test.lastRecovered() + " of " + provenDurable);
        test.verifyAll();
      }
      log = image;
    }
  }

  /** Damages bytes after the highest proven index, and returns that index. */
  private static long damageTail(Path file, Random random) throws IOException {
    LogRecord header = Disk.header(file);
    List<LogRecord> entries = Disk.entries(file);
    long watermark = header.commitWatermark();
    long from = header.end();
    long end = header.end();
    for (LogRecord entry : entries) {
      watermark = Math.max(watermark, entry.commitWatermark());
      end = entry.end();
    }
    for (LogRecord entry : entries) {
      if (entry.index() <= watermark) {
        from = entry.end();
      }
    }
    long span = end - from + 2 * SegmentLayout.PAGE_BYTES;
    for (int i = random.nextInt(6); i >= 0; i--) {
      long at = from + (long) (random.nextDouble() * span);
      switch (random.nextInt(4)) {
        case 0 -> Disk.flipBit(file, at, random.nextInt(8));
        case 1 -> { // one page never reached the disk
          long page = at / SegmentLayout.PAGE_BYTES * SegmentLayout.PAGE_BYTES;
          long start = Math.max(page, from);
          Disk.write(file, start, new byte[(int) (page + SegmentLayout.PAGE_BYTES - start)]);
        }
        case 2 -> {
          byte[] garbage = new byte[1 + random.nextInt(300)];
          random.nextBytes(garbage);
          Disk.write(file, at, garbage);
        }
        default -> { // a whole record is missing
          if (!entries.isEmpty()) {
            LogRecord missing = entries.get(random.nextInt(entries.size()));
            if (missing.position() >= from) {
              Disk.write(file, missing.position(), new byte[missing.bytes().length]);
            }
          }
        }
      }
    }
    return watermark;
  }
}

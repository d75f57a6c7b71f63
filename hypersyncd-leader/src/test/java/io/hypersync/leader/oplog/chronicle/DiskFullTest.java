package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.OpLogFullException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A full disk is reported before an entry is accepted, never by SIGBUS. Mounts a tmpfs, so it needs
 * root.
 */
@Tag("mount")
class DiskFullTest {
  private static final long WATCHED_NANOS = 2_000_000_000L;

  /** Ten times the delay between attempts to allocate a segment. */
  private static final long SETTLED_NANOS = 1_000_000_000L;

  /** How many entries have room once the ballast is deleted. */
  private static final int LATER = 250;

  @TempDir Path directory;

  @BeforeEach
  void mount() throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", directory.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", directory.toString());
  }

  @Test
  void aFullDiskRefusesEntriesAndLosesNone() throws Exception {
    Path log = directory.resolve("log");
    Path ballast = Files.write(directory.resolve("ballast"), new byte[2 << 20]);
    Path rest = Files.write(directory.resolve("rest"), new byte[512 << 10]);
    long accepted;
    try (TestLog test = TestLog.open(log)) {
      accepted = fill(test);
      assertThrows(OpLogFullException.class, () -> append(test, accepted + 1), "still full");
      assertEquals(accepted, test.log.appendedIndex());
      test.awaitDurable(accepted);
      test.verifyAll();

      Files.delete(ballast);
      // One by one: each reserves a page until it is written, and full segments are shrunk
      // concurrently.
      long deadline = System.nanoTime() + 30_000_000_000L;
      for (long index = accepted + 1; index <= accepted + LATER; index++) {
        while (!tryAppend(test, index)) {
          assertTrue(System.nanoTime() < deadline, "no room 30 s after space was freed");
          Thread.sleep(10);
        }
      }
      test.awaitDurable(accepted + LATER);
      test.verifyAll();
    }
    // A start needs room for a segment, and how much the entries take depends on their batches.
    Files.delete(rest);
    try (TestLog test = TestLog.open(log)) {
      assertEquals(accepted + LATER, test.lastRecovered());
      test.verifyAll();
    }
  }

  /** RocksDB and other programs may use the same disk. */
  @Test
  void aFullLogLeavesToOthersWhatIsTooLittleForASegment() throws Exception {
    Path rest = Files.write(directory.resolve("rest"), new byte[20 * SegmentLayout.PAGE_BYTES]);
    try (TestLog test = TestLog.open(directory.resolve("log"))) {
      test.awaitDurable(fill(test));
      if (Files.getFileStore(directory).getUsableSpace() <= 16 * SegmentLayout.PAGE_BYTES) {
        Files.delete(rest); // what is left over depends on how the entries were batched
      }
      long highest = 0;
      long deadline = System.nanoTime() + WATCHED_NANOS;
      while (System.nanoTime() < deadline) {
        long free = Files.getFileStore(directory).getUsableSpace();
        highest = Math.max(highest, free); // a full segment may still be shrinking
        assertTrue(
            free >= highest - SegmentLayout.PAGE_BYTES,
            "of " + highest + " bytes " + free + " are free");
      }
      assertTrue(highest > 16 * SegmentLayout.PAGE_BYTES, "nothing to take: " + highest);
      assertThrows(OpLogFullException.class, () -> append(test, test.log.appendedIndex() + 1));
    }
  }

  /** What it keeps is for entries that free something. */
  @Test
  void aLogSaysThatItIsNearlyFullWhileThereIsRoomForSome() throws Exception {
    try (TestLog test = TestLog.open(directory.resolve("log"))) {
      Files.write(directory.resolve("ballast"), new byte[2 << 20]);
      assertFalse(test.log.isNearlyFull());
      long index = 0;
      long deadline = System.nanoTime() + 30_000_000_000L;
      while (!test.log.isNearlyFull()) {
        assertTrue(System.nanoTime() < deadline, "the log does not fill");
        append(test, ++index);
      }
      for (int i = 0; i < 10; i++) {
        append(test, ++index);
        test.awaitDurable(index);
      }
      Files.delete(directory.resolve("ballast"));
      while (test.log.isNearlyFull()) {
        assertTrue(System.nanoTime() < deadline, "nearly full for ever");
        Thread.sleep(10);
      }
    }
  }

  @Test
  void aSmallEntryIsAcceptedWhereALargeOneIsRefused() throws Exception {
    try (TestLog test = TestLog.open(directory.resolve("log"))) {
      Files.write(directory.resolve("ballast"), new byte[2 << 20]);
      byte[] large = new byte[test.log.maxPayloadBytes()];
      long index = 0;
      try {
        while (true) {
          test.log.append(index + 1, large, false);
          index++;
        }
      } catch (OpLogFullException full) {
        assertEquals(index, test.log.appendedIndex());
      }
      test.log.append(index + 1, new byte[] {1, 2, 3}, false);
      test.awaitDurable(index + 1);
      assertArrayEquals(new byte[] {1, 2, 3}, test.log.read(index + 1));
    }
  }

  @Test
  void aLogThatCannotGetASegmentDoesNotOpenAndIsUnharmed() throws Exception {
    Path log = directory.resolve("log");
    try (TestLog test = TestLog.open(log)) {
      test.appendDurably(100);
    }
    Path ballast = directory.resolve("ballast");
    try {
      Files.write(ballast, new byte[4 << 20]);
      throw new AssertionError("the disk is not full");
    } catch (IOException full) {
      // as intended
    }
    for (int attempt = 0; attempt < 3; attempt++) {
      assertThrows(OpLogFullException.class, () -> TestLog.open(log));
    }
    Files.delete(ballast);
    try (TestLog test = TestLog.open(log)) {
      assertEquals(100, test.lastRecovered());
      test.appendDurably(100);
    }
  }

  /**
   * Appends until the log has refused for so long that everything that frees room is done: batches
   * are written, full segments are shrunk. Returns the last accepted index.
   */
  private static long fill(TestLog test) throws IOException, InterruptedException {
    long index = test.log.appendedIndex();
    long acceptedAtNanos = System.nanoTime();
    while (System.nanoTime() - acceptedAtNanos < SETTLED_NANOS) {
      if (tryAppend(test, index + 1)) {
        index++;
        acceptedAtNanos = System.nanoTime();
      } else {
        Thread.sleep(1);
      }
    }
    test.awaitDurable(index);
    return index;
  }

  private static boolean tryAppend(TestLog test, long index) throws IOException {
    try {
      append(test, index);
      return true;
    } catch (OpLogFullException full) {
      return false;
    }
  }

  private static void append(TestLog test, long index) throws IOException {
    test.log.append(index, TestLog.payload(index), false);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertEquals(0, process.waitFor(), String.join(" ", command) + " (needs root)");
  }
}

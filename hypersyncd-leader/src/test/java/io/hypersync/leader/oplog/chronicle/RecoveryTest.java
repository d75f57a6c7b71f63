package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.RootVersionException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What recovery keeps, cuts off and refuses. */
@Tag("slow")
class RecoveryTest {
  /** For logs that were written before roots had a version. */
  private static final OpLogOptions OLD_ROOTS = TestLog.SMALL.withRoots(RootVersion.V1);

  @TempDir Path directory;

  /** Damage to one record. */
  enum Damage {
    FLIPPED_PAYLOAD_BIT {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.flipBit(file, record.end() - 1, 3);
      }
    },
    FLIPPED_INDEX_BIT {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.flipBit(file, record.position() + 23, 0);
      }
    },
    FLIPPED_WATERMARK_BIT {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.flipBit(file, record.position() + 24, 6);
      }
    },
    FLIPPED_MAGIC_BIT {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.flipBit(file, record.position(), 0);
      }
    },
    HUGE_LENGTH {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.write(file, record.position() + 8, new byte[] {0x7f, -1, -1, -1});
      }
    },
    NEGATIVE_LENGTH {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.write(file, record.position() + 8, new byte[] {-1, -1, -1, -1});
      }
    },
    ZEROED {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.write(file, record.position() - 4, new byte[record.bytes().length + 4]);
      }
    },
    ZEROED_BEHIND_THE_HEADER {
      @Override
      void apply(Path file, LogRecord record) throws IOException {
        Disk.write(
            file,
            record.position() + RecordCodec.HEADER_BYTES,
            new byte[record.bytes().length - RecordCodec.HEADER_BYTES]);
      }
    };

    abstract void apply(Path file, LogRecord record) throws IOException;
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void aDamagedLastRecordIsCutOff(Damage damage) throws IOException {
    Path file = writeOneByOne(10);
    damage.apply(file, Disk.entry(file, 10));
    expectRecovered(9);
    expectRecovered(9);
    continueAndVerify(9);
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void aDamagedRecordThatWasDurableIsRefused(Damage damage) throws IOException {
    Path file = writeOneByOne(10);
    damage.apply(file, Disk.entry(file, 5));
    for (int attempt = 0; attempt < 2; attempt++) {
      OpLogCorruptException refused =
          assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory));
      assertEquals(5, refused.index());
      assertEquals(file, refused.file());
    }
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void damageInsideTheLastBatchIsCutOffAlthoughGoodRecordsFollow(Damage damage) throws IOException {
    Path file = writeTwoBatches(1, 9);
    damage.apply(file, Disk.entry(file, 5));
    expectRecovered(4);
    continueAndVerify(4);
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void damageInASegmentThatHasASuccessorIsRefused(Damage damage) throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(2000);
    }
    Path sealed = Disk.segments(directory).get(1).resolve(SegmentLayout.CYCLE_FILE);
    List<LogRecord> entries = Disk.entries(sealed);
    LogRecord last = entries.getLast(); // nothing in this file proves that it was durable
    damage.apply(sealed, last);
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory));
    assertEquals(last.index(), refused.index());
    assertEquals(sealed, refused.file());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40, 75, 100, 10_000})
  void aFileTruncatedInsideItsLastRecordIsCutOff(int bytesFromItsEnd) throws IOException {
    Path file = writeOneByOne(10);
    LogRecord last = Disk.entry(file, 10);
    long size = Math.max(last.position() + 1, last.end() - bytesFromItsEnd);
    SyncedFileOps.shrink(file, size);
    expectRecovered(9);
    continueAndVerify(9);
  }

  @Test
  void aFileTruncatedBeforeADurableRecordIsRefused() throws IOException {
    writeOneByOne(10);
    expectRecovered(10); // 10 is carried into a segment whose header proves it
    Path file = Disk.lastFile(directory);
    SyncedFileOps.shrink(file, Disk.header(file).end() + 4);
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory));
    assertEquals(10, refused.index());
  }

  @Test
  void garbageInChroniclesFramingChangesNothing() throws IOException {
    Path file = writeOneByOne(10);
    byte[] garbage = {-1, 0x7f, -1, 0x5a};
    for (LogRecord record : Disk.entries(file)) {
      Disk.write(file, record.position() - 4, garbage); // the length word of the document
    }
    Disk.write(file, SegmentLayout.alignUp(Disk.entry(file, 10).end(), 4), garbage);
    Disk.write(file, 0, new byte[64]); // Chronicle's own header
    expectRecovered(10);
    continueAndVerify(10);
  }

  @Test
  void aRecordInsideAPayloadProvesNothing() throws IOException {
    byte[] forged = new byte[400];
    RecordCodec.encode(forged, 0, RecordKind.ENTRY, 12, 11, 77, Hash.ZERO, new byte[10]);
    Path crashed = directory.resolve("crashed");
    Path written = directory.resolve("written");
    try (TestLog test = TestLog.open(written)) {
      test.appendOneByOne(10);
      test.log.append(11, forged, false);
      test.awaitDurable(11);
      Disk.copy(written, crashed);
    }
    directory = crashed;
    Path file = Disk.lastFile(directory);
    Damage.FLIPPED_MAGIC_BIT.apply(file, Disk.entry(file, 11));
    expectRecovered(10);
  }

  @Test
  void aDamagedSegmentHeaderIsRefused() throws IOException {
    Path file = writeOneByOne(10);
    Disk.flipBit(file, Disk.header(file).position() + 20, 1);
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory));
    assertEquals(file, refused.file());
  }

  @Test
  void aMissingSegmentIsRefused() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendDurably(3000);
    }
    List<Path> segments = Disk.segments(directory);
    long lost = Disk.header(segments.get(2).resolve(SegmentLayout.CYCLE_FILE)).index();
    DurableFiles.deleteTree(segments.get(2));
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory));
    assertEquals(lost, refused.index());
  }

  @Test
  void aMissingFileIsRefused() throws IOException {
    Path file = writeOneByOne(10);
    Files.delete(file);
    assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory));
  }

  @Test
  void aSegmentFromAnotherHistoryIsRefused() throws IOException {
    Path here = directory.resolve("here");
    Path other = directory.resolve("other");
    for (Path history : List.of(here, other)) {
      try (TestLog test = TestLog.open(history)) {
        test.appendOneByOne(10);
      }
      try (TestLog test = TestLog.open(history)) {
        test.appendOneByOne(10);
      }
    }
    // Same indexes and payloads, but the records carry other segment ids and so other hashes.
    Path segment = Disk.segments(here).getLast();
    DurableFiles.deleteTree(segment);
    Disk.copy(other.resolve(segment.getFileName()), segment);
    assertThrows(OpLogCorruptException.class, () -> TestLog.open(here));
  }

  /** Its roots have version 1, too, and so have those of the entries that follow. */
  @Test
  void aLogOfVersionOneIsReadAndGoesOnInVersionTwo() throws IOException {
    writeVersionOne();
    expectRecovered(OLD_ROOTS, 6);
    continueAndVerify(OLD_ROOTS, 6);
    assertEquals(RootVersion.V1, ChronicleOpLog.rootVersion(directory));
  }

  @Test
  void aLogWithRootsOfAnotherVersionIsReadButNotOpened() throws IOException {
    writeVersionOne();
    List<Path> before = Disk.segments(directory);
    RootVersionException refused =
        assertThrows(RootVersionException.class, () -> TestLog.open(directory));
    assertTrue(refused.isOlder(), refused::getMessage);
    assertEquals(before, Disk.segments(directory), "nothing was changed");
    List<Long> read = new ArrayList<>();
    ChronicleOpLog.read(
        directory,
        (index, _) -> {
          read.add(index);
          return RecoveryListener.Verdict.KEEP;
        });
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), read);
  }

  @Test
  void segmentsWithRootsOfDifferentVersionsAreNoLog() throws IOException {
    Path old = directory.resolve("old");
    Path log = directory.resolve("log");
    for (int run = 0; run < 2; run++) {
      try (TestLog test = TestLog.open(old, OLD_ROOTS)) {
        test.appendOneByOne(3);
      }
      try (TestLog test = TestLog.open(log)) {
        test.appendOneByOne(3);
      }
    }
    Path first = Disk.segments(log).getFirst();
    DurableFiles.deleteTree(first);
    Disk.copy(old.resolve(first.getFileName()), first);
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(log));
    assertTrue(
        refused.getMessage().contains("its roots have version 2, those before version 1"),
        refused::getMessage);
  }

  /** No record in it proves that the last entry was durable: it is kept if intact, else cut off. */
  @Test
  void theLastEntryOfALogOfVersionOneIsCutOffWhenItIsDamaged() throws IOException {
    Path file = writeVersionOne();
    Damage.FLIPPED_PAYLOAD_BIT.apply(file, Disk.entry(file, 6));
    expectRecovered(OLD_ROOTS, 5);
    continueAndVerify(OLD_ROOTS, 5);
  }

  @Test
  void aDamagedEntryOfALogOfVersionOneIsRefused() throws IOException {
    Path file = writeVersionOne();
    Damage.FLIPPED_PAYLOAD_BIT.apply(file, Disk.entry(file, 5));
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.open(directory, OLD_ROOTS));
    assertEquals(5, refused.index());
  }

  /** A segment with five entries in one batch and a sixth entry, as release 0.1 wrote it. */
  private Path writeVersionOne() throws IOException {
    Path file = SegmentLayout.published(directory, 1).resolve(SegmentLayout.CYCLE_FILE);
    Files.createDirectories(file.getParent());
    Files.write(file, new byte[256 << 10]);
    Disk.write(file, 8_464, Golden.bytes("v0_1/segment.hex"));
    assertEquals(6, Disk.entries(file).size());
    return file;
  }

  @Test
  void theCallerMayCutWhatWasNeverKnownToBeDurable() throws IOException {
    writeTwoBatches(6, 4); // the watermark of 7 to 10 is 6
    try (TestLog test = TestLog.openCuttingAt(directory, 8)) {
      assertEquals(7, test.lastRecovered());
      assertEquals(7, test.log.durableIndex());
    }
    expectRecovered(7); // not resurrected
    continueAndVerify(7);
  }

  @Test
  void theCallerMayNotCutWhatWasDurable() throws IOException {
    writeTwoBatches(6, 4);
    OpLogCorruptException refused =
        assertThrows(OpLogCorruptException.class, () -> TestLog.openCuttingAt(directory, 6));
    assertEquals(6, refused.index());
    expectRecovered(10); // the refusal has changed nothing
  }

  @Test
  void whatWasKeptOnceCannotBeCutLater() throws IOException {
    writeTwoBatches(6, 4);
    expectRecovered(10);
    assertThrows(OpLogCorruptException.class, () -> TestLog.openCuttingAt(directory, 9));
    expectRecovered(10);
  }

  @Test
  void chunksAreSyncedBeforeCarriedEntriesAreCalledDurable() throws IOException {
    writeTwoBatches(6, 4);
    assertThrows(
        IOException.class,
        () ->
            TestLog.open(
                directory,
                TestLog.SMALL,
                () -> {
                  throw new IOException("chunk store cannot sync");
                }));
    expectRecovered(10);
  }

  @Test
  void aCrashAtAnyPointOfACutLeavesTheOldLogOrTheNewOne() throws IOException {
    Path file = writeOneByOne(10);
    Damage.FLIPPED_PAYLOAD_BIT.apply(file, Disk.entry(file, 10));
    Path log = directory;
    Path scratch = log.resolveSibling("scratch");
    for (int crash = 0; crash < 4; crash++) { // each time from the image before the sync
      Path before = scratch.resolve("before-" + crash);
      Path after = scratch.resolve("after-" + crash);
      SegmentWrite imaging =
          (path, channel, bytes, offset) -> {
            if (!Files.exists(before)) {
              Disk.copy(log, before);
              SegmentWrite.DSYNC.write(path, channel, bytes, offset);
              Disk.copy(log, after);
            } else {
              SegmentWrite.DSYNC.write(path, channel, bytes, offset);
            }
          };
      Path published = scratch.resolve("published-" + crash);
      try (TestLog test = TestLog.open(log, TestLog.SMALL, imaging)) {
        assertEquals(9, test.lastRecovered());
        Disk.copy(log, published);
      }
      for (Path image : List.of(before, after, published)) {
        try (TestLog test =
            TestLog.open(Disk.copy(image, scratch.resolve("opened-" + image.getFileName())))) {
          assertEquals(9, test.lastRecovered(), image.toString());
          test.appendDurably(3);
          test.verifyAll();
        }
      }
      DurableFiles.deleteTree(log);
      Disk.copy(List.of(before, after, published, before).get(crash), log);
    }
  }

  @Test
  void aVoidLastSegmentLeavesTheFullOneBeforeAsItIs() throws IOException {
    long last;
    Path crashed = directory.resolve("crashed");
    Path written = directory.resolve("written");
    try (TestLog test = TestLog.open(written)) {
      while (Disk.segments(written).size() == 1) {
        test.appendOneByOne(1);
      }
      last = test.log.durableIndex(); // alone in the second segment: nothing proves it durable
      Disk.copy(written, crashed);
    }
    directory = crashed;
    for (int restart = 0; restart < 3; restart++) {
      try (TestLog test = TestLog.open(directory)) {
        assertEquals(last, test.lastRecovered());
        test.verifyAll();
      }
    }
  }

  @Test
  void aCrashWhileAVoidSegmentIsDeletedHarmsNothing() throws IOException {
    try (TestLog test = TestLog.open(directory)) {
      test.appendOneByOne(10);
    }
    expectRecovered(10); // the second segment stays empty
    List<Path> deleted = new ArrayList<>();
    TreeDeletion crashing =
        tree -> {
          Files.delete(tree.resolve(SegmentLayout.CYCLE_FILE));
          deleted.add(tree);
          throw new IOException("the process is killed between two files of " + tree);
        };
    try (TestLog test = TestLog.open(directory, crashing)) {
      assertEquals(10, test.lastRecovered());
      assertEquals(1, deleted.size(), "void segments");
    }
    continueAndVerify(10);
    assertFalse(Files.exists(deleted.getFirst()), "what the crash has left is swept");
  }

  @Test
  void unpublishedSegmentsAreSwept() throws IOException {
    writeOneByOne(3);
    Path spare = directory.resolve("spare-0000000000000009");
    Files.createDirectories(spare);
    Files.write(spare.resolve("zeros"), new byte[100]);
    expectRecovered(3);
    assertTrue(Files.notExists(spare));
    try (var left = Files.list(directory)) {
      assertEquals(
          List.of(), left.filter(SegmentLayout::isUnpublished).toList(), "after a clean close");
    }
  }

  /** Writes entries, each durable before the next, crashes, and returns the file they are in. */
  private Path writeOneByOne(int count) throws IOException {
    Path written = directory.resolve("written");
    try (TestLog test = TestLog.open(written)) {
      test.appendOneByOne(count);
      Disk.copy(written, directory.resolve("log"));
    }
    directory = directory.resolve("log");
    Path file = Disk.lastFile(directory);
    assertEquals(count, Disk.entries(file).size());
    return file;
  }

  /** Writes {@code first} entries one by one and {@code second} in one batch, and crashes. */
  private Path writeTwoBatches(int first, int second) throws IOException {
    Path written = directory.resolve("written");
    Semaphore syncs = new Semaphore(first); // for the header and all entries but the last
    SegmentWrite gated =
        (file, channel, bytes, offset) -> {
          syncs.acquireUninterruptibly();
          SegmentWrite.DSYNC.write(file, channel, bytes, offset);
        };
    try (TestLog test = TestLog.open(written, TestLog.SMALL, gated)) {
      test.appendOneByOne(first - 1);
      test.append(1);
      while (syncs.getQueueLength() == 0) {
        Thread.onSpinWait(); // it is in its sync: what follows is one batch
      }
      test.append(second);
      syncs.release(3); // including the watermark's, at close
      test.awaitDurable(first + second);
      Disk.copy(written, directory.resolve("log"));
    }
    directory = directory.resolve("log");
    return Disk.lastFile(directory);
  }

  private void expectRecovered(long last) throws IOException {
    expectRecovered(TestLog.SMALL, last);
  }

  private void expectRecovered(OpLogOptions options, long last) throws IOException {
    try (TestLog test = TestLog.open(directory, options)) {
      assertEquals(last, test.lastRecovered());
      assertEquals(last, test.log.durableIndex());
    }
  }

  private void continueAndVerify(long last) throws IOException {
    continueAndVerify(TestLog.SMALL, last);
  }

  private void continueAndVerify(OpLogOptions options, long last) throws IOException {
    try (TestLog test = TestLog.open(directory, options)) {
      assertEquals(last, test.lastRecovered());
      test.appendDurably(1500);
      test.verifyAll();
    }
    try (TestLog test = TestLog.open(directory, options)) {
      assertEquals(last + 1500, test.lastRecovered());
    }
  }
}

package io.hypersync.sim.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.QuietAgents;
import io.hypersync.sim.world.Prng;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The product's recovery on a simulated disk: what was synced stays, the rest may be lost in any
 * way.
 */
@ExtendWith(QuietAgents.class)
@Tag("slow")
class LeaderDiskTest {
  private static final int HISTORIES = 200;
  private static final int ENTRY_BYTES = 1_500;

  private final List<byte[]> written = new ArrayList<>();

  @Test
  void whatWasSyncedSurvivesALossOfPowerAndTheRestUpToSomeEntry() throws IOException {
    TreeSet<Integer> kept = new TreeSet<>();
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = diskWith(seed, 3, true);
      disk.crash(true);
      kept.add(entries(disk));
    }
    assertEquals(List.of(3, 4, 5, 6), List.copyOf(kept), "3 were synced, 3 were written");
  }

  @Test
  void aCrashOfTheProcessLosesNothing() throws IOException {
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = diskWith(seed, 3, true);
      disk.crash(false);
      assertEquals(6, entries(disk), "seed " + seed);
    }
  }

  @Test
  void whatAFailedSyncWasToWriteIsThereOrNotEvenWithoutALossOfPower() throws IOException {
    TreeSet<Integer> kept = new TreeSet<>();
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = fresh(seed);
      SteppedLog log = open(disk);
      sync(disk, log, batch(3));
      disk.nextSyncFails(true);
      List<byte[]> lost = batch(3);
      assertThrows(IOException.class, () -> sync(disk, log, lost));
      assertEquals(3, log.durableIndex());
      disk.crash(false);
      kept.add(entries(disk));
    }
    assertEquals(List.of(3, 4, 5, 6), List.copyOf(kept));
  }

  @Test
  void aWriteThatFailsLeavesSomeFirstPart() throws IOException {
    long most = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = fresh(seed);
      SteppedLog log = open(disk);
      sync(disk, log, batch(3));
      disk.writesFail(true);
      List<byte[]> refused = batch(2);
      assertThrows(IOException.class, () -> log.write(refused));
      disk.crash(false);
      assertThrows(IOException.class, () -> open(disk), "a new segment cannot be written either");
      disk.writesFail(false);
      long left = entries(disk); // refused, but may have been written
      assertTrue(left >= 3 && left <= 5, "seed " + seed + ": " + left);
      most = Math.max(most, left);
    }
    assertTrue(most > 3, "some first part was left");
  }

  @Test
  void aLogWhoseDurablePartRotsIsRefusedUntilItIsRestored() throws IOException {
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = diskWith(seed, 12, seed % 2 == 0);
      assertTrue(disk.rotLog());
      disk.crash(seed % 3 == 0);
      OpLogCorruptException refused =
          assertThrows(OpLogCorruptException.class, () -> open(disk), "seed " + seed);
      assertTrue(
          refused.index() >= 1 && refused.index() <= 13,
          () -> "names the entry: " + refused.getMessage());
      disk.repair();
      assertTrue(entries(disk) >= 12);
    }
  }

  /** The last record after the entries is only the watermark of an idle log. */
  @Test
  void afterARestTheLastEntriesAreMissedToo() throws IOException {
    TreeSet<Long> named = new TreeSet<>();
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = fresh(seed);
      SteppedLog log = open(disk);
      sync(disk, log, batch(2));
      sync(disk, log, batch(3));
      log.writeWatermark();
      disk.syncWatermark(disk.openFile(log), 5);
      assertTrue(disk.rotLog());
      disk.crash(seed % 2 == 0);
      OpLogCorruptException refused =
          assertThrows(OpLogCorruptException.class, () -> open(disk), "seed " + seed);
      named.add(refused.index());
      disk.repair();
      assertEquals(5, entries(disk));
    }
    assertTrue(named.containsAll(List.of(3L, 4L, 5L)), () -> "named " + named);
  }

  /** A torn watermark, like a missing one, must not prevent recovery. */
  @Test
  void aTornWatermarkHarmsNothing() throws IOException {
    long torn = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      LeaderDisk disk = fresh(seed);
      SteppedLog log = open(disk);
      sync(disk, log, batch(3));
      log.writeWatermark();
      if (seed % 2 == 0) {
        log.write(batch(2)); // concurrent with the watermark
      }
      disk.crash(true);
      torn += disk.happened().values().stream().mapToLong(Long::longValue).sum();
      assertTrue(entries(disk) >= 3, "seed " + seed);
    }
    assertTrue(torn > HISTORIES / 10, "pages torn: " + torn);
  }

  /** Checks the test disk itself: a torn page may destroy synced bytes. */
  @Test
  void aTornPageTakesSyncedBytesWithIt() {
    int lost = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      Prng prng = new Prng(seed);
      byte[] synced = prng.bytes(700);
      SimFile file = new SimFile(synced, 8192);
      file.write(700, prng.bytes(50), 50);
      int _ = file.losePower(prng);
      if (!Arrays.equals(synced, Arrays.copyOf(file.bytes(), 700))) {
        lost++;
      }
    }
    assertTrue(lost > 0 && lost < HISTORIES / 2, "lost " + lost);
  }

  @Test
  void aChunkThatRotsIsNeverServedAndStoringItAgainRepairsIt() {
    SimChunkStore store = new SimChunkStore();
    byte[] bytes = {1, 2, 3};
    Hash hash = Blake3.hash(bytes);
    store.put(hash, bytes);
    assertTrue(store.rot(new Prng(1)));
    assertThrows(ChunkStoreException.class, () -> store.getVerified(hash));
    store.put(hash, bytes);
    assertArrayEquals(bytes, store.getVerified(hash));
  }

  /**
   * A disk with {@code synced} entries, synced one by one, and three more that are only written if
   * {@code more}.
   */
  private LeaderDisk diskWith(int seed, int synced, boolean more) throws IOException {
    LeaderDisk disk = fresh(seed);
    SteppedLog log = open(disk);
    for (int i = 0; i < synced; i++) {
      sync(disk, log, batch(1));
    }
    if (more) {
      log.write(batch(3));
    }
    return disk;
  }

  private LeaderDisk fresh(int seed) {
    written.clear();
    return new LeaderDisk(new Prng(seed));
  }

  private List<byte[]> batch(int count) {
    List<byte[]> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] entry = new Prng(written.size()).bytes(ENTRY_BYTES);
      written.add(entry);
      batch.add(entry);
    }
    return batch;
  }

  private static void sync(LeaderDisk disk, SteppedLog log, List<byte[]> batch) throws IOException {
    log.write(batch);
    disk.sync(log, batch, List.of());
  }

  private static SteppedLog open(LeaderDisk disk) throws IOException {
    return disk.open((_, _) -> Verdict.KEEP);
  }

  /** Number of entries that recovery finds; each must be the one that was written. */
  private int entries(LeaderDisk disk) throws IOException {
    SteppedLog _ = open(disk);
    List<byte[]> found = disk.durableLog();
    for (int i = 0; i < found.size(); i++) {
      assertArrayEquals(written.get(i), found.get(i), "entry " + (i + 1));
    }
    return found.size();
  }
}

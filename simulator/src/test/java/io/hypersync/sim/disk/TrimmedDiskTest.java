package io.hypersync.sim.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.sim.QuietAgents;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.sim.world.Trace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Trims of the simulated log, and starts that skip what a snapshot covers. */
@ExtendWith(QuietAgents.class)
@Tag("slow")
class TrimmedDiskTest {
  private static final int HISTORIES = 100;
  private static final int ENTRIES = 150;
  private static final int ENTRY_BYTES = 1_500;
  private static final long SLOWEST_SYNC_NS = 5 * Timeline.MS;
  private static final long LONG_NS = 10_000 * Timeline.MS;

  private final List<byte[]> written = new ArrayList<>();
  private final List<Long> delivered = new ArrayList<>();

  /** One run of the leader on a disk, up to its crash. */
  private final class Run {
    private final Timeline timeline = new Timeline(new Trace());
    private final Host host;
    private final SimOpLog log;
    private boolean over;

    Run(LeaderDisk disk, long seed) throws IOException {
      Prng prng = new Prng(seed);
      host = new Host(timeline, prng.split(), "leader");
      log =
          new SimOpLog(
              disk,
              TrimmedDiskTest.this.open(disk, 0),
              host,
              prng.split(),
              SLOWEST_SYNC_NS,
              new SimOpLog.Events(
                  _ -> {},
                  () -> {},
                  e -> {
                    throw new IllegalStateException(e);
                  }));
    }

    void append(int count) throws IOException {
      for (int i = 0; i < count; i++) {
        byte[] entry = new Prng(written.size()).bytes(ENTRY_BYTES);
        written.add(entry);
        log.append(log.appendedIndex() + 1, entry, false);
      }
      pass(LONG_NS);
      assertEquals(log.appendedIndex(), log.durableIndex());
    }

    void pass(long ns) {
      over = false;
      timeline.after(ns, "", () -> over = true);
      while (!over) {
        timeline.step();
      }
    }
  }

  @Test
  void aTrimIsDonePartlyAtACrashAndLeavesASuffix() throws IOException {
    TreeSet<Integer> left = new TreeSet<>();
    for (int seed = 0; seed < HISTORIES; seed++) {
      written.clear();
      LeaderDisk disk = new LeaderDisk(new Prng(seed));
      Run run = new Run(disk, seed);
      run.append(ENTRIES);
      List<LogSegment> segments = run.log.segments();
      assertTrue(segments.size() >= 4, segments::toString);
      LogSegment kept = segments.get(3);
      assertEquals(kept.firstIndex(), run.log.trim(kept.lastIndex() - 1));
      assertEquals(kept.firstIndex(), run.log.firstIndex());
      assertArrayEquals(entry(kept.firstIndex()), run.log.read(kept.firstIndex()));
      long before = kept.firstIndex() - 1;
      assertThrows(IndexOutOfBoundsException.class, () -> run.log.read(before));
      run.pass(new Prng(seed).scale(1_000, 6 * SLOWEST_SYNC_NS));
      run.host.crash();
      disk.crash(seed % 2 == 0);

      SteppedLog again = open(disk, 0);
      long first = again.firstIndex();
      int gone = segments.stream().map(LogSegment::firstIndex).toList().indexOf(first);
      assertTrue(gone >= 0 && gone <= 3, "begins at " + first);
      left.add(gone);
      assertEquals(first, delivered.getFirst());
      assertEquals(ENTRIES - first + 1, delivered.size());
      assertEquals(ENTRIES, disk.durableLog().size());
      for (int i = 0; i < ENTRIES; i++) {
        assertArrayEquals(written.get(i), disk.durableLog().get(i), "entry " + (i + 1));
      }
    }
    assertEquals(List.of(0, 1, 2, 3), List.copyOf(left), "segments that were gone");
  }

  @Test
  void aTrimThatFailsIsFinishedByTheNextWithoutAGap() throws IOException {
    LeaderDisk disk = new LeaderDisk(new Prng(1));
    Run run = new Run(disk, 1);
    run.append(ENTRIES);
    List<LogSegment> segments = run.log.segments();
    disk.writesFail(true);
    assertEquals(segments.get(2).firstIndex(), run.log.trim(segments.get(2).firstIndex()));
    run.pass(LONG_NS);
    disk.writesFail(false);
    assertEquals(segments.get(3).firstIndex(), run.log.trim(segments.get(3).firstIndex()));
    run.pass(LONG_NS);
    run.host.crash();
    disk.crash(true);
    assertEquals(segments.get(3).firstIndex(), open(disk, 0).firstIndex());
    assertThrows(OpLogCorruptException.class, () -> open(disk, 1));
    assertThrows(OpLogCorruptException.class, () -> open(disk, ENTRIES + 2));
  }

  /**
   * A watermark is synced beside later batches, so a trim may take its segment away in the
   * meantime. A sync goes by the open file, not by the name.
   */
  @Test
  void aWatermarkIsSyncedThoughItsSegmentIsTrimmedMeanwhile() throws IOException {
    TreeSet<Long> begins = new TreeSet<>();
    for (int seed = 0; seed < HISTORIES; seed++) {
      boolean gone = seed % 2 == 0;
      written.clear();
      LeaderDisk disk = new LeaderDisk(new Prng(seed));
      SteppedLog log = open(disk, 0);
      while (log.segments().size() < 3) { // the next one begins when there is no room left
        write(disk, log);
      }
      long kept = log.segments().getLast().firstIndex();
      log.writeWatermark();
      Path named = log.file();
      SimFile watermarked = disk.openFile(log);
      while (log.segments().size() < 4) {
        write(disk, log);
      }
      long last = log.segments().getLast().firstIndex();
      for (Path segment : log.forget(last - 1)) {
        disk.withdraw(segment);
        if (gone || !named.startsWith(segment)) {
          disk.syncWithdrawn();
        }
      }
      disk.syncWatermark(watermarked, last - 1);
      disk.crash(true);

      SteppedLog again = open(disk, 0);
      begins.add(again.firstIndex() == last ? Long.MAX_VALUE : again.firstIndex() - kept);
      assertEquals(written.size(), again.durableIndex());
      assertEquals(again.firstIndex(), delivered.getFirst());
    }
    assertEquals(
        List.of(0L, Long.MAX_VALUE), List.copyOf(begins), "with and without the watermark's");
  }

  private void write(LeaderDisk disk, SteppedLog log) throws IOException {
    byte[] entry = new Prng(written.size()).bytes(ENTRY_BYTES);
    written.add(entry);
    log.write(List.of(entry));
    disk.sync(log, List.of(entry), List.of());
  }

  @Test
  void rotInWhatIsSkippedIsFoundWhenItIsRead() throws IOException {
    int skipped = 0;
    int refused = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      written.clear();
      LeaderDisk disk = new LeaderDisk(new Prng(seed));
      Run run = new Run(disk, seed);
      run.append(ENTRIES);
      long needed = run.log.segments().get(3).firstIndex() + 2;
      assertTrue(disk.rotLog());
      disk.crash(false);
      SteppedLog opened;
      try {
        opened = open(disk, needed);
      } catch (OpLogCorruptException e) {
        refused++;
        continue;
      }
      skipped++;
      assertEquals(needed, delivered.getFirst());
      assertEquals(ENTRIES, disk.durableLog().size());
      OpLogCorruptException found =
          assertThrows(
              OpLogCorruptException.class,
              () -> {
                int _ = opened.read(1, Long.MAX_VALUE, (_, _) -> {});
              });
      assertTrue(found.index() < needed, found::getMessage);
      disk.repair();
      assertEquals(ENTRIES, opened.read(1, Long.MAX_VALUE, (_, _) -> {}));
    }
    assertTrue(skipped > HISTORIES / 10 && refused > HISTORIES / 10, skipped + ", " + refused);
  }

  private byte[] entry(long index) {
    return written.get((int) index - 1);
  }

  private SteppedLog open(LeaderDisk disk, long firstNeeded) throws IOException {
    delivered.clear();
    return disk.open(
        new RecoveryListener() {
          @Override
          public Verdict onRecord(long index, byte[] payload) {
            assertArrayEquals(entry(index), payload, "entry " + index);
            delivered.add(index);
            return Verdict.KEEP;
          }

          @Override
          public long firstNeeded(long first) {
            return firstNeeded == 0 ? first : firstNeeded;
          }
        });
  }
}

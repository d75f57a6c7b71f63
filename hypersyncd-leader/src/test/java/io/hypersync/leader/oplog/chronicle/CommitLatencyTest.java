package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A commit costs about what the disk charges for one durable page. Compared in alternating blocks
 * with an {@code O_DSYNC} overwrite of 4 KiB in a preallocated file, so that other load hits both.
 */
class CommitLatencyTest {
  private static final int BLOCKS = 20;
  private static final int PER_BLOCK = 100;
  private static final int WARM_UP_BLOCKS = 5;

  /** The aim is 1.5; this bound only catches a log that syncs far too much (or twice). */
  private static final double ALLOWED_RATIO = 3;

  @TempDir Path directory;

  @Test
  void anIdleLogCommitsAtTheSpeedOfOneDurableWrite() throws IOException {
    long[] bare = new long[BLOCKS * PER_BLOCK];
    long[] handOver = new long[BLOCKS * PER_BLOCK];
    long[] wholeTrip = new long[BLOCKS * PER_BLOCK];
    Path file = directory.resolve("bare");
    SyncedFileOps.createZeroed(file, 1 << 20, 0, () -> false);
    Waiter waiter = new Waiter();
    try (ChronicleOpLog log =
            ChronicleOpLog.open(
                directory.resolve("log"),
                OpLogOptions.DEFAULT.withSegmentBytes(16 << 20),
                ChunkSync.NONE,
                (index, payload) -> Verdict.KEEP,
                waiter);
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DSYNC)) {
      byte[] payload = new byte[300];
      for (int block = -WARM_UP_BLOCKS; block < BLOCKS; block++) {
        for (int i = 0; i < PER_BLOCK; i++) {
          int at = Math.max(block, 0) * PER_BLOCK + i;
          ByteBuffer page = ByteBuffer.allocateDirect(SegmentLayout.PAGE_BYTES);
          long start = System.nanoTime();
          channel.write(page, (long) (at % 256) * SegmentLayout.PAGE_BYTES);
          bare[at] = System.nanoTime() - start;
        }
        for (int i = 0; i < PER_BLOCK; i++) {
          int at = Math.max(block, 0) * PER_BLOCK + i;
          long index = log.appendedIndex() + 1;
          long start = System.nanoTime();
          log.append(index, payload, false);
          handOver[at] = waiter.awaitDurable(log, index);
          wholeTrip[at] = System.nanoTime() - start;
        }
      }
    }
    double ratio = (double) median(handOver) / median(bare);
    System.out.printf(
        "append to durable: p50 %.1f us (%.1f us until the appender woke up), bare O_DSYNC 4 KiB:"
            + " p50 %.1f us, ratio %.2f%n",
        median(handOver) / 1e3, median(wholeTrip) / 1e3, median(bare) / 1e3, ratio);
    assertTrue(ratio < ALLOWED_RATIO, "ratio " + ratio);
  }

  private static long median(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static final class Waiter implements OpLogListener {
    private final Thread appender = Thread.currentThread();
    private volatile long latencyNanos;

    long awaitDurable(ChronicleOpLog log, long index) {
      while (log.durableIndex() < index) {
        LockSupport.park(this);
      }
      return latencyNanos;
    }

    @Override
    public void onDurable(CommittedBatch batch) {
      latencyNanos = batch.latencyNanos();
      LockSupport.unpark(appender);
    }

    @Override
    public void onFailure(OpLogFailedException failure) {
      throw failure;
    }
  }
}

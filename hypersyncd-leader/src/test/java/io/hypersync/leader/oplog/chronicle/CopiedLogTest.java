package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Somebody copies the leader's log into the workspace, so that payloads of entries have records of
 * the same segment in them. In a segment of which recovery has read the header only, a search must
 * not take those for the segment's own.
 */
class CopiedLogTest {
  private static final OpLogOptions OPTIONS = OpLogOptions.DEFAULT.withSegmentBytes(2 << 20);
  private static final int COPIES = 12;
  private static final int COPY_BYTES = 60_000;

  @TempDir Path directory;
  private final List<byte[]> payloads = new ArrayList<>();

  @Test
  void everyEntryIsFoundAmongCopiesOfOthers() throws Exception {
    try (ChronicleOpLog log = open(1)) {
      for (int i = 0; i < 100; i++) {
        append(log, new byte[100 + i]);
      }
      byte[] copy = beginning();
      for (int i = 0; i < COPIES; i++) {
        append(log, copy);
      }
      while (log.segments().size() < 2) {
        append(log, new byte[60_000]);
      }
    }
    long last = payloads.size();
    for (long index = last; index > 0; index--) { // each search in a log without samples
      try (ChronicleOpLog log = open(last)) {
        assertArrayEquals(payloads.get((int) index - 1), log.read(index), "entry " + index);
      }
      if (index > 115) {
        index -= 10;
      }
    }
    try (ChronicleOpLog log = open(last)) {
      long next = 1;
      while (next <= last) {
        next += log.read(next, 100_000, this::compare);
      }
      assertEquals(last + 1, next);
    }
  }

  private void compare(long index, byte[] payload) {
    assertArrayEquals(payloads.get((int) index - 1), payload, "entry " + index);
  }

  private byte[] beginning() throws IOException {
    Path segment = LogFiles.in(directory.resolve("log")).segments().getFirst();
    Path records = segment.resolve(SegmentLayout.CYCLE_FILE);
    byte[] bytes = new byte[COPY_BYTES];
    try (RandomAccessFile file = new RandomAccessFile(records.toFile(), "r")) {
      file.readFully(bytes);
    }
    return bytes;
  }

  private void append(ChronicleOpLog log, byte[] payload) throws Exception {
    payloads.add(payload);
    log.append(payloads.size(), payload, false);
    CountDownLatch durable = new CountDownLatch(1);
    awaited = payloads.size();
    latch = durable;
    if (log.durableIndex() < awaited) {
      assertTrue(durable.await(30, TimeUnit.SECONDS), "entry " + awaited + " is not durable");
    }
  }

  private volatile long awaited;
  private volatile CountDownLatch latch = new CountDownLatch(1);

  private ChronicleOpLog open(long firstNeeded) throws IOException {
    return ChronicleOpLog.open(
        directory.resolve("log"),
        OPTIONS,
        ChunkSync.NONE,
        TestLog.needing(firstNeeded, (_, _) -> Verdict.KEEP),
        new OpLogListener() {
          @Override
          public void onDurable(CommittedBatch batch) {
            if (batch.lastIndex() >= awaited) {
              latch.countDown();
            }
          }

          @Override
          public void onFailure(OpLogFailedException failure) {
            throw failure;
          }
        });
  }
}

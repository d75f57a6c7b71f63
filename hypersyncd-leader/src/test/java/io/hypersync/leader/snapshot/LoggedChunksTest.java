package io.hypersync.leader.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.fixtures.Entries;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chunks of inline payloads are in the store before a snapshot does without the log. */
class LoggedChunksTest {
  private final MemoryOpLog log = new MemoryOpLog();
  private final InMemoryChunkStore chunks = new InMemoryChunkStore();

  @Test
  void whatIsMissingIsStored() throws Exception {
    byte[] one = bytes(1, 100);
    byte[] two = bytes(2, 50);
    append(one, two);
    append(two);
    append(bytes(3, 10));
    log.sync();
    all(LoggedChunks.missing(log, chunks, 0, 2));
    assertArrayEquals(one, chunks.get(Blake3.hash(one)));
    assertArrayEquals(two, chunks.get(Blake3.hash(two)));
    assertNull(chunks.get(Blake3.hash(bytes(3, 10))), "behind the last entry");
  }

  @Test
  void whatTheSnapshotBeforeHasSeenIsNotLookedAt() throws Exception {
    append(bytes(1, 100));
    append(bytes(2, 100));
    log.sync();
    all(LoggedChunks.missing(log, chunks, 1, 2));
    assertNull(chunks.get(Blake3.hash(bytes(1, 100))));
  }

  @Test
  void anEntryWhoseChunksCameByThemselvesIsPassedOver() throws Exception {
    FsOp write = write(List.of(ref(bytes(1, 100))));
    log.append(1, Entries.of(1, write).encoded(), true);
    log.sync();
    assertFalse(LoggedChunks.missing(log, chunks, 0, 1).step());
    assertEquals(0, chunks.stats().approximateChunks());
  }

  @Test
  void aDamagedChunkIsStoredAgain() throws Exception {
    byte[] right = bytes(1, 100);
    append(right);
    log.sync();
    chunks.put(Blake3.hash(right), bytes(9, 100));
    all(LoggedChunks.missing(log, chunks, 0, 1));
    assertArrayEquals(bytes(9, 100), chunks.get(Blake3.hash(right)), "not looked at");
    LoggedChunks damaged = LoggedChunks.damaged(log, chunks, 1, 0);
    all(damaged);
    assertArrayEquals(right, chunks.getVerified(Blake3.hash(right)));
    assertEquals(1, damaged.stored());
  }

  /** What was collected stays away; what is there and damaged is mended, collected or not. */
  @Test
  void whatMayHaveBeenCollectedIsNotStoredAgain() throws Exception {
    byte[] collected = bytes(1, 100);
    byte[] damaged = bytes(2, 100);
    byte[] lost = bytes(3, 100);
    append(collected);
    append(damaged);
    append(lost);
    log.sync();
    chunks.put(Blake3.hash(damaged), bytes(9, 100));
    all(LoggedChunks.damaged(log, chunks, 3, 2));
    assertNull(chunks.get(Blake3.hash(collected)));
    assertArrayEquals(damaged, chunks.getVerified(Blake3.hash(damaged)));
    assertArrayEquals(lost, chunks.get(Blake3.hash(lost)));
  }

  private static void all(LoggedChunks logged) throws IOException {
    while (logged.step()) {}
  }

  private void append(byte[]... payloads) throws OpLogFullException {
    int length = 0;
    for (byte[] payload : payloads) {
      length += payload.length;
    }
    byte[] inline = new byte[length];
    int at = 0;
    for (byte[] payload : payloads) {
      System.arraycopy(payload, 0, inline, at, payload.length);
      at += payload.length;
    }
    long index = log.appendedIndex() + 1;
    FsOp write = write(List.of(payloads).stream().map(LoggedChunksTest::ref).toList());
    log.append(index, Entries.of(index, write).inline(inline).encoded(), false);
  }

  private static FsOp write(List<ChunkRef> refs) {
    return new FsOp.Write(FsState.ROOT, WriteMode.PWRITE, 0, refs, false);
  }

  private static ChunkRef ref(byte[] bytes) {
    return new ChunkRef(Blake3.hash(bytes), bytes.length);
  }

  private static byte[] bytes(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}

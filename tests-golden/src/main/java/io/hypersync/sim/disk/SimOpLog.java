package io.hypersync.sim.disk;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.RecordConsumer;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.world.Chance;
import io.hypersync.sim.world.Host;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The op log of one run of the leader: one sync at a time, which takes what has queued up, and with
 * it the chunks that had been stored when it began.
 */
public final class SimOpLog implements OpLog {
  private static final int MAX_BATCH = 8;
  private static final int NOT_READY_ONE_IN = 20;
  private static final int MAX_PAYLOAD_BYTES = 16 << 20;

  private final LeaderDisk disk;
  private final Host host;
  private final Chance chance;
  private final long slowestSyncNs;
  private final Consumer<byte[]> onAppend;
  private final Runnable onDurable;
  private final ArrayDeque<Boolean> needsChunkSync = new ArrayDeque<>();
  private boolean syncing;

  /**
   * The log after recovery.
   *
   * @param onAppend called with every entry that is appended
   * @param onDurable called when the durable index has moved
   */
  public SimOpLog(
      LeaderDisk disk,
      Host host,
      Chance chance,
      long slowestSyncNs,
      Consumer<byte[]> onAppend,
      Runnable onDurable) {
    this.disk = disk;
    this.host = host;
    this.chance = chance;
    this.slowestSyncNs = slowestSyncNs;
    this.onAppend = onAppend;
    this.onDurable = onDurable;
  }

  @Override
  public void append(long index, byte[] payload, boolean chunkSync) throws OpLogFullException {
    if (disk.isLogFull()) {
      throw new OpLogFullException("the simulated disk is full", new IOException("ENOSPC"));
    }
    if (index != appendedIndex() + 1) {
      throw new IllegalArgumentException("entry " + index + " after entry " + appendedIndex());
    }
    disk.write(payload);
    onAppend.accept(payload);
    needsChunkSync.addLast(chunkSync);
    sync();
  }

  @Override
  public boolean mayWait() {
    return chance.oneIn(NOT_READY_ONE_IN);
  }

  @Override
  public int maxPayloadBytes() {
    return MAX_PAYLOAD_BYTES;
  }

  @Override
  public long firstIndex() {
    return 1;
  }

  @Override
  public long appendedIndex() {
    return disk.appendedIndex();
  }

  @Override
  public long durableIndex() {
    return disk.durableLog().size();
  }

  @Override
  public byte[] read(long index) {
    if (index < 1 || index > durableIndex()) {
      throw new IndexOutOfBoundsException("entry " + index + " of " + durableIndex());
    }
    return disk.durableLog().get((int) index - 1).clone();
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) {
    long bytes = 0;
    int count = 0;
    for (long i = fromIndex; i <= durableIndex() && bytes < maxBytes; i++) {
      byte[] payload = read(i);
      consumer.accept(i, payload);
      bytes += payload.length;
      count++;
    }
    return count;
  }

  @Override
  public void close() {}

  private void sync() {
    if (syncing || disk.unsynced() == 0) {
      return;
    }
    syncing = true;
    int batch = (int) chance.between(1, Math.min(MAX_BATCH, disk.unsynced()));
    boolean withChunks = false;
    for (int i = 0; i < batch; i++) {
      withChunks |= needsChunkSync.removeFirst();
    }
    List<Hash> chunks = withChunks ? disk.chunks().beginSync() : List.of();
    host.after(
        chance.scale(50_000, slowestSyncNs),
        "",
        () -> {
          syncing = false;
          disk.chunks().finish(chunks);
          disk.synced(batch);
          onDurable.run();
          sync();
        });
  }
}

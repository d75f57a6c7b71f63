package io.hypersync.sim.disk;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.RecordConsumer;
import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The op log of one run of the leader. It writes and then syncs one batch at a time from a queue,
 * together with the chunks that were stored when the batch was written. When it has been idle for a
 * while, it writes and syncs a watermark, concurrently with later batches. Runs in the events of
 * its host.
 */
public final class SimOpLog implements OpLog {
  /** As in the product's {@code IdleWatermark}. */
  private static final long REST_NS = 100 * Timeline.MS;

  private static final int MAX_BATCH = 8;
  private static final int NOT_READY_ONE_IN = 20;
  private static final int REFUSES_ONE_IN = 4;
  private static final int MAX_PAYLOAD_BYTES = 16 << 20;
  private static final long FASTEST_NS = 10_000;
  private static final long SLOWEST_WRITE_NS = 500_000;

  private record Pending(byte[] payload, boolean needsChunkSync) {}

  private final LeaderDisk disk;
  private final SteppedLog log;
  private final Host host;
  private final Prng prng;
  private final long slowestSyncNs;
  private final Events events;
  private final ArrayDeque<Pending> queue = new ArrayDeque<>();
  private final ArrayDeque<Path> withdrawing = new ArrayDeque<>();
  private long appendedIndex;
  private boolean busy;
  private boolean trims;
  private boolean watched;
  private long lastCommitNs;

  /**
   * Callbacks.
   *
   * @param appended an entry was accepted, and is queued
   * @param durable the durable index has advanced
   * @param failed the log is unusable from now on, and the leader must stop
   */
  public record Events(Consumer<byte[]> appended, Runnable durable, Consumer<IOException> failed) {}

  /**
   * Creates the log after recovery.
   *
   * @param log the log that {@link LeaderDisk#open} has returned
   * @param slowestSyncNs upper bound of the duration of a sync, in nanoseconds
   */
  public SimOpLog(
      LeaderDisk disk, SteppedLog log, Host host, Prng prng, long slowestSyncNs, Events events) {
    this.disk = disk;
    this.log = log;
    this.host = host;
    this.prng = prng;
    this.slowestSyncNs = slowestSyncNs;
    this.events = events;
    this.appendedIndex = log.durableIndex();
  }

  @Override
  public void append(long index, byte[] payload, boolean chunkSync) throws OpLogFullException {
    if (disk.isLogFull()) {
      throw new OpLogFullException("the simulated disk is full", new IOException("ENOSPC"));
    }
    if (index != appendedIndex + 1) {
      throw new IllegalArgumentException("entry " + index + " after entry " + appendedIndex);
    }
    appendedIndex = index;
    queue.addLast(new Pending(payload, chunkSync));
    events.appended.accept(payload);
    next();
  }

  @Override
  public @Nullable LoneCommit tryLoneCommit() {
    if (busy || !queue.isEmpty() || prng.oneIn(REFUSES_ONE_IN)) {
      return null;
    }
    busy = true;
    return this::writeHere;
  }

  /** Write and sync complete at once, as a turn of the agent takes no simulated time. */
  private void writeHere() {
    if (queue.size() != 1 || queue.getFirst().needsChunkSync) {
      busy = false;
      next();
      return;
    }
    List<byte[]> batch = List.of(queue.removeFirst().payload);
    try {
      log.write(batch);
      disk.sync(log, batch, List.of());
    } catch (IOException e) {
      host.after(0, "", () -> events.failed.accept(e)); // reported after the agent's turn
      return;
    }
    busy = false;
    committed();
  }

  @Override
  public boolean mayWait() {
    return prng.oneIn(NOT_READY_ONE_IN);
  }

  @Override
  public int maxPayloadBytes() {
    return MAX_PAYLOAD_BYTES;
  }

  @Override
  public long firstIndex() {
    return log.firstIndex();
  }

  /**
   * The segments are taken away one by one after this call, so that a crash leaves the trim partly
   * done.
   */
  @Override
  public long trim(long throughIndex) {
    if (throughIndex > durableIndex()) {
      throw new IllegalArgumentException("entry " + throughIndex + " is not durable");
    }
    for (Path segment : log.forget(throughIndex)) {
      if (!withdrawing.contains(segment)) {
        withdrawing.addLast(segment);
      }
    }
    withdrawNext();
    return firstIndex();
  }

  private void withdrawNext() {
    if (trims || withdrawing.isEmpty()) {
      return;
    }
    trims = true;
    host.after(prng.scale(FASTEST_NS, slowestSyncNs), "", this::withdraw);
  }

  private void withdraw() {
    try {
      disk.withdraw(withdrawing.getFirst());
    } catch (IOException e) {
      host.note("cannot trim the log: " + e.getMessage());
      trims = false; // the next call of trim begins with this one
      return;
    }
    withdrawing.removeFirst();
    host.after(
        prng.scale(FASTEST_NS, slowestSyncNs),
        "",
        () -> {
          disk.syncWithdrawn();
          trims = false;
          withdrawNext();
        });
  }

  @Override
  public List<LogSegment> segments() throws IOException {
    return log.segments();
  }

  @Override
  public long appendedIndex() {
    return appendedIndex;
  }

  @Override
  public long durableIndex() {
    return log.durableIndex();
  }

  @Override
  public byte[] read(long index) throws IOException {
    byte[][] found = new byte[1][];
    int _ = read(index, 1, (_, payload) -> found[0] = payload);
    return found[0];
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) throws IOException {
    return log.read(fromIndex, maxBytes, consumer);
  }

  @Override
  public void close() {}

  private void next() {
    if (!busy && !queue.isEmpty()) {
      busy = true;
      host.after(prng.scale(FASTEST_NS, SLOWEST_WRITE_NS), "", this::write);
    }
  }

  private void write() {
    int size = (int) prng.between(1, Math.min(MAX_BATCH, queue.size()));
    List<byte[]> batch = new ArrayList<>();
    boolean withChunks = false;
    for (int i = 0; i < size; i++) {
      Pending entry = queue.removeFirst();
      batch.add(entry.payload);
      withChunks |= entry.needsChunkSync;
    }
    List<Hash> chunks = withChunks ? disk.chunks().beginSync() : List.of();
    try {
      log.write(batch);
    } catch (IOException e) {
      events.failed.accept(e);
      return;
    }
    host.after(prng.scale(50_000, slowestSyncNs), "", () -> sync(batch, chunks));
  }

  private void sync(List<byte[]> batch, List<Hash> chunks) {
    try {
      disk.sync(log, batch, chunks);
    } catch (IOException e) {
      events.failed.accept(e);
      return;
    }
    busy = false;
    committed();
    next();
  }

  private void committed() {
    lastCommitNs = host.nowNs();
    if (!watched) {
      watched = true;
      host.after(REST_NS, "", this::look);
    }
    events.durable.run();
  }

  private void look() {
    long left = lastCommitNs + REST_NS - host.nowNs();
    if (left > 0 || busy) {
      host.after(Math.max(left, FASTEST_NS), "", this::look);
      return;
    }
    watched = false;
    if (log.isWatermarkDue()) {
      writeWatermark();
    }
  }

  private void writeWatermark() {
    long watermarked = log.durableIndex();
    SimFile file = disk.openFile(log);
    try {
      log.writeWatermark();
    } catch (IOException e) {
      events.failed.accept(e);
      return;
    }
    host.after(
        prng.scale(50_000, slowestSyncNs),
        "",
        () -> {
          try {
            disk.syncWatermark(file, watermarked);
          } catch (IOException e) {
            events.failed.accept(e);
          }
        });
  }
}

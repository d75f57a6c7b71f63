package io.hypersync.sim.disk;

import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.sim.world.Chance;
import java.util.ArrayList;
import java.util.List;

/** What the leader finds when it starts again: the log, and the chunks. */
public final class LeaderDisk {
  private final List<byte[]> synced = new ArrayList<>();
  private final List<byte[]> cached = new ArrayList<>();
  private final SimChunkStore chunks = new SimChunkStore();
  private boolean logFull;

  /** An empty disk. */
  public LeaderDisk() {}

  /** The chunks. */
  public SimChunkStore chunks() {
    return chunks;
  }

  /** Whether appends fail with ENOSPC from now on. */
  public void logFull(boolean nowFull) {
    logFull = nowFull;
  }

  /** The entries on stable storage, entry 1 first; grows only. */
  public List<byte[]> durableLog() {
    return synced;
  }

  /**
   * The leader is gone. After a crash of the process everything written is still there; after a
   * loss of power what was not synced is there up to some entry: a torn record ends the log.
   */
  public void crash(boolean powerLost, Chance chance) {
    if (!powerLost) {
      return;
    }
    int kept = chance.below(cached.size() + 1);
    cached.subList(kept, cached.size()).clear();
    chunks.losePower(chance);
  }

  /**
   * Replays what is there, as opening the log does; what is kept is on stable storage afterwards,
   * and so are its chunks.
   *
   * @return the last entry that is kept
   */
  public long recover(RecoveryListener listener) {
    List<byte[]> found = new ArrayList<>(synced);
    found.addAll(cached);
    int kept = 0;
    while (kept < found.size()
        && listener.onRecord(kept + 1, found.get(kept)) == RecoveryListener.Verdict.KEEP) {
      kept++;
    }
    chunks.sync();
    synced.clear();
    synced.addAll(found.subList(0, kept));
    cached.clear();
    return kept;
  }

  boolean isLogFull() {
    return logFull;
  }

  void write(byte[] entry) {
    cached.add(entry);
  }

  int unsynced() {
    return cached.size();
  }

  /** The oldest entries that were only written are durable now. */
  void synced(int count) {
    List<byte[]> batch = cached.subList(0, count);
    synced.addAll(batch);
    batch.clear();
  }

  long appendedIndex() {
    return (long) synced.size() + cached.size();
  }
}

package io.hypersync.sim.disk;

import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.world.Chance;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the leader finds when it starts again: the log, and the chunks. */
public final class LeaderDisk {
  /** Small, so that segments are full before a history ends. */
  private static final int SEGMENT_BYTES = 48 << 10;

  private final Chance chance;
  private final SimFiles files;
  private final SimChunkStore chunks = new SimChunkStore();
  private List<byte[]> durable = new ArrayList<>();
  private @Nullable SteppedLog log;
  private boolean logFull;
  private boolean syncFails;
  private long notedIndex;
  private long notes;
  private long rottenAtRest;
  private long tornPages;

  /** An empty disk. */
  public LeaderDisk(Chance chance) {
    this.chance = chance;
    this.files = new SimFiles(chance.split());
  }

  /** The chunks. */
  public SimChunkStore chunks() {
    return chunks;
  }

  /** Whether appends fail with ENOSPC from now on. */
  public void logFull(boolean nowFull) {
    logFull = nowFull;
  }

  /** Whether writes to the log fail with EIO from now on. */
  public void writesFail(boolean now) {
    files.writesFail(now);
  }

  /** The next sync of the log fails. */
  public void nextSyncFails(boolean now) {
    syncFails = now;
  }

  /**
   * A bit of the log turns over, in a record of which the disk itself says that it was durable:
   * with what was written after it, or because the log has rested since. Returns whether there was
   * one.
   */
  public boolean rotLog() {
    SteppedLog now = log;
    if (now == null || files.isDamaged()) {
      return false;
    }
    try {
      List<SteppedLog.Span> proven = now.proven(notedIndex);
      List<SteppedLog.Span> byWatermark = proven.subList(now.proven(0).size(), proven.size());
      if (!byWatermark.isEmpty() && chance.oneIn(2)) {
        rottenAtRest++;
        files.rot(chance.pick(byWatermark));
      } else {
        files.rot(chance.pick(proven));
      }
      return true;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What has rotted, of log and chunks, is restored from a copy. */
  public void repair() {
    files.repair();
    chunks.repair();
  }

  /** The entries on stable storage, entry 1 first; grows only. */
  public List<byte[]> durableLog() {
    return durable;
  }

  /**
   * The leader is gone. After a crash of the process everything written is still there, but what
   * the disk had refused; after a loss of power what was not synced is there in parts.
   */
  public void crash(boolean powerLost) {
    log = null;
    notedIndex = 0;
    if (powerLost) {
      tornPages += files.losePower();
      chunks.losePower(chance);
    } else {
      files.evict();
      chunks.evict(chance);
    }
  }

  /**
   * Replays what is there and begins a new segment; what is kept is on stable storage afterwards,
   * and so are its chunks.
   *
   * @throws OpLogCorruptException if the log is damaged
   * @throws IOException if the disk fails
   */
  public SteppedLog open(RecoveryListener listener) throws IOException {
    List<byte[]> kept = new ArrayList<>();
    SteppedLog opened =
        SteppedLog.open(
            files,
            chance::nextLong,
            SEGMENT_BYTES,
            chunks::sync,
            new RecoveryListener() {
              @Override
              public Verdict onRecord(long index, byte[] payload) {
                Verdict verdict = listener.onRecord(index, payload);
                if (verdict == Verdict.KEEP) {
                  kept.add(payload);
                }
                return verdict;
              }

              @Override
              public void ended() {
                listener.ended();
              }
            });
    if (files.isDamaged()) {
      throw new Violation("the leader has started on a damaged log");
    }
    log = opened;
    durable = kept;
    return opened;
  }

  /** Whether the log has rotted, so that no leader may start on it. */
  public boolean isLogDamaged() {
    return files.isDamaged();
  }

  /** How often came about what has to in some histories. */
  public Map<String, Long> happened() {
    return Map.of(
        "watermarks of a log that rests", notes,
        "bits that rot in entries which nothing but a watermark proves", rottenAtRest,
        "pages of the log that a loss of power tears", tornPages);
  }

  boolean isLogFull() {
    return logFull;
  }

  /**
   * The sync of a batch ends, and with it that of the chunks which it rests on.
   *
   * @param begun what {@link SimChunkStore#beginSync} has answered
   * @throws IOException if one of the two has failed
   */
  void sync(SteppedLog synced, List<byte[]> batch, List<Hash> begun) throws IOException {
    sync(synced.file());
    chunks.finish(begun);
    synced.synced();
    durable.addAll(batch);
  }

  /**
   * The sync of a watermark ends.
   *
   * @param file that it was written to
   * @param index what it says
   * @throws IOException if it has failed
   */
  void syncNote(Path file, long index) throws IOException {
    sync(file);
    notedIndex = Math.max(notedIndex, index);
    notes++;
  }

  private void sync(Path file) throws IOException {
    if (syncFails) {
      syncFails = false;
      files.failSync(file);
      throw new IOException("EIO: the simulated disk cannot sync");
    }
    files.sync(file);
  }
}

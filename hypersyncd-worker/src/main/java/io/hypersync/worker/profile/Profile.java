package io.hypersync.worker.profile;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.intents.FinishedMutation;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Records what a mount is used for while a profile runs (hypersync.md 17.1): kinds of mutations,
 * sizes of writes, and which names and nodes they concern. Single-threaded, on the agent's thread;
 * without a running profile there is no such object.
 */
public final class Profile {
  /** Most names and nodes counted apart; further ones are summed up as {@code others}. */
  static final int MAX_SUBJECTS = 200_000;

  private static final long NS_PER_S = 1_000_000_000L;
  private static final long MAX_WRITE_BYTES = 1L << 32;
  private static final long MAX_PER_SECOND = 10_000_000;
  private static final int DIGITS = 2;

  private final FsState began;
  private final long beganNs;
  private final Map<String, Long> ops = new TreeMap<>();
  private final Histogram writeBytes = new Histogram(MAX_WRITE_BYTES, DIGITS);
  private final Histogram writesPerSecond = new Histogram(MAX_PER_SECOND, DIGITS);
  private final Map<MutationTarget, Usage> subjects = new HashMap<>();
  private final Map<NodeId, MutationTarget> born = new HashMap<>();
  private final Usage others = new Usage();
  private long bytes;
  private long refused;
  private long second;
  private long writesThisSecond;

  /**
   * Begins a profile.
   *
   * @param began the present state, which has the paths of nodes that are gone at the end
   */
  public Profile(FsState began, long nowNs) {
    this.began = began;
    this.beganNs = nowNs;
  }

  /** Counters of one name or node. */
  public static final class Usage {
    private long mutations;
    private long writes;
    private long bytes;
    private long created;
    private long removed;

    public long mutations() {
      return mutations;
    }

    public long writes() {
      return writes;
    }

    public long bytes() {
      return bytes;
    }

    /** How often it was created, or got this name by a link or rename. */
    public long created() {
      return created;
    }

    /** How often its name was removed, or renamed to another one. */
    public long removed() {
      return removed;
    }

    void add(Usage other) {
      mutations += other.mutations;
      writes += other.writes;
      bytes += other.bytes;
      created += other.created;
      removed += other.removed;
    }
  }

  /** Adds a mutation that ended at {@code nowNs}, refused ones included. */
  public void add(FinishedMutation finished, long nowNs) {
    FsOp op = finished.mutation().op();
    LogEntry entry = finished.entry();
    if (entry == null) {
      refused++;
      return;
    }
    ops.merge(op.getClass().getSimpleName(), 1L, Long::sum);
    MutationTarget subject = MutationTarget.of(op);
    Usage usage = usage(subject);
    usage.mutations++;
    switch (op) {
      case FsOp.Write write -> {
        long length = write.chunks().stream().mapToLong(ChunkRef::length).sum();
        wrote(length, nowNs);
        usage.writes++;
        usage.bytes += length;
      }
      case FsOp.CreateFile _, FsOp.MakeDir _, FsOp.MakeSymlink _, FsOp.MakeNode _ -> {
        usage.created++;
        if (born.size() < MAX_SUBJECTS) {
          born.put(entry.createdNode(), subject);
        }
      }
      case FsOp.Link _, FsOp.LinkTemporary _ -> usage.created++;
      case FsOp.Unlink _, FsOp.RemoveDir _ -> usage.removed++;
      case FsOp.Rename rename -> {
        usage.created++;
        usage(new MutationTarget(rename.parent(), rename.name())).removed++;
      }
      case FsOp.Truncate _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.ReapOrphans _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.MakeTemporary _,
          FsOp.RestoreState _ -> {
        // Counted as a mutation only.
      }
    }
  }

  /** Ends the profile and returns its result; it must not be used afterwards. */
  public ProfileResult end(FsState now, long nowNs) {
    if (writesThisSecond > 0) {
      writesPerSecond.recordValue(Math.min(writesThisSecond, MAX_PER_SECOND));
    }
    return new ProfileResult(
        began,
        now,
        nowNs - beganNs,
        ops,
        refused,
        writeBytes,
        writesPerSecond,
        bytes,
        subjects,
        born,
        others);
  }

  private void wrote(long length, long nowNs) {
    writeBytes.recordValue(Math.min(length, MAX_WRITE_BYTES));
    bytes += length;
    long at = (nowNs - beganNs) / NS_PER_S;
    if (at != second && writesThisSecond > 0) {
      writesPerSecond.recordValue(Math.min(writesThisSecond, MAX_PER_SECOND));
      writesThisSecond = 0;
    }
    second = at;
    writesThisSecond++;
  }

  private Usage usage(MutationTarget subject) {
    Usage known = subjects.get(subject);
    if (known != null) {
      return known;
    }
    if (subjects.size() >= MAX_SUBJECTS) {
      return others;
    }
    Usage fresh = new Usage();
    subjects.put(subject, fresh);
    return fresh;
  }
}

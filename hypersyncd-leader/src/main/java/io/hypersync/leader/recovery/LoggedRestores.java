package io.hypersync.leader.recovery;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RestoresFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out at a start which states the entries of the log restore, and so must stay stored. What
 * was said before a crash, or before the log was cut or trimmed, need not hold any more.
 */
public final class LoggedRestores {
  private static final long SLICE_BYTES = 1 << 20;

  private final OpLog log;
  private final long last;

  /**
   * Of a log that has been recovered.
   *
   * @param last its last entry
   */
  public LoggedRestores(OpLog log, long last) {
    this.log = log;
    this.last = last;
  }

  /**
   * What is held from now on. Reads one entry for each record whose entry is known, and for others
   * the log from the least index on that it can have.
   *
   * @param said what was durably said; null if nobody can read that: then all of the log is read
   * @param nowNs the time of day, in nanoseconds since 1970
   * @throws IOException if the log cannot be read
   */
  public List<HeldRestore> held(@Nullable List<HeldRestore> said, long nowNs) throws IOException {
    if (said == null) {
      return found(log.firstIndex(), nowNs);
    }
    List<HeldRestore> held = new ArrayList<>();
    long from = Long.MAX_VALUE;
    for (HeldRestore each : said) {
      if (!each.isExact()) {
        from = Math.min(from, Math.max(each.entry(), log.firstIndex()));
      } else if (isLogged(each)) {
        held.add(each);
      }
    }
    for (HeldRestore each : found(from, nowNs)) {
      if (held.stream().noneMatch(known -> known.entry() == each.entry())) {
        held.add(each);
      }
    }
    return held;
  }

  private boolean isLogged(HeldRestore held) throws IOException {
    return held.entry() >= log.firstIndex()
        && held.entry() <= last
        && decoded(held.entry(), log.read(held.entry())).op()
            instanceof FsOp.RestoreState(byte[] manifest, _, _)
        && Arrays.equals(manifest, held.state().manifest());
  }

  /** All entries that restore a state, from one on. */
  private List<HeldRestore> found(long from, long nowNs) throws IOException {
    List<HeldRestore> found = new ArrayList<>();
    long next = from;
    while (next <= last) {
      List<byte[]> slice = new ArrayList<>();
      var _ = log.read(next, SLICE_BYTES, (_, payload) -> slice.add(payload));
      if (slice.isEmpty()) {
        throw new IOException("the log ends before entry " + next);
      }
      for (byte[] payload : slice) {
        if (next > last) {
          break;
        }
        LogEntry entry = decoded(next, payload);
        if (entry.op() instanceof FsOp.RestoreState(byte[] manifest, _, _)) {
          found.add(held(next, manifest, nowNs));
        }
        next++;
      }
    }
    return found;
  }

  private static HeldRestore held(long index, byte[] manifest, long nowNs) throws IOException {
    try {
      return new HeldRestore(index, true, RestoresFile.state(manifest, nowNs));
    } catch (DecodeException e) {
      throw unreadable(index, e);
    }
  }

  private static LogEntry decoded(long index, byte[] payload) throws IOException {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw unreadable(index, e);
    }
  }

  private static IOException unreadable(long index, DecodeException e) {
    return new IOException("log entry " + index + " cannot be read: " + e.getMessage(), e);
  }
}

package io.hypersync.leader.history;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Looks through durable entries of the log, in slices, on the calling thread. */
public final class LogScan {
  private static final long SLICE_BYTES = 256 << 10;

  private final OpLog log;
  private final Runnable step;

  /**
   * Scans of one log.
   *
   * @param step called for each slice; what it throws ends the scan
   */
  public LogScan(OpLog log, Runnable step) {
    this.log = log;
    this.step = step;
  }

  /**
   * Tells entries in the order of the log.
   *
   * @param first the first of them
   * @param last the last of them, which must be durable
   * @param isLast asked with each entry; true ends the scan behind it
   * @throws UserError if entries were removed meanwhile, or make no sense
   * @throws IOException if the log cannot be read
   */
  public void forEach(long first, long last, Predicate<LogEntry> isLast) throws IOException {
    long next = first;
    while (next <= last) {
      step.run();
      for (byte[] payload : slice(next)) {
        if (next > last || isLast.test(decoded(next, payload))) {
          return;
        }
        next++;
      }
    }
  }

  /** The first of these entries that is wanted; 0 if none is. */
  public long first(long first, long last, Predicate<LogEntry> wanted) throws IOException {
    long[] found = {0};
    forEach(
        first,
        last,
        entry -> {
          boolean is = wanted.test(entry);
          found[0] = is ? entry.index() : 0;
          return is;
        });
    return found[0];
  }

  private List<byte[]> slice(long first) throws IOException {
    List<byte[]> slice = new ArrayList<>();
    try {
      var _ = log.read(first, SLICE_BYTES, (_, payload) -> slice.add(payload));
    } catch (IndexOutOfBoundsException e) {
      if (first >= log.firstIndex()) {
        throw e;
      }
      throw new UserError("log entry " + first + " was removed meanwhile", "Try again.");
    }
    if (slice.isEmpty()) {
      throw new UserError("the log ends before entry " + first, "");
    }
    return slice;
  }

  private static LogEntry decoded(long index, byte[] payload) {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw new UserError("log entry " + index + " cannot be read: " + e.getMessage(), "");
    }
  }
}

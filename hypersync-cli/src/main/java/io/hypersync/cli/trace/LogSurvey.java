package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.admin.UserError;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * What a log has up to an entry, and what behind it, where nothing is believed: that part may have
 * roots that are wrong, and ops that cannot be applied (docs/diverged.md).
 *
 * @param root the Merkle root after the entry, as replay gives it and the log says
 * @param kept entries up to that one
 * @param cut entries behind it
 * @param bytes that those behind it have written
 * @param byWorker how many of them each worker has made; the leader's own are under its name
 * @param firstNs when the first of them was committed, leader time in nanoseconds; 0 if there is
 *     none
 * @param lastNs when the last of them was
 */
public record LogSurvey(
    Hash root,
    long kept,
    long cut,
    long bytes,
    Map<String, Long> byWorker,
    long firstNs,
    long lastNs) {
  /** As many intents as matter here: nobody asks for one. */
  private static final long REMEMBERED_INTENTS = 1;

  /** Copies the map. */
  public LogSurvey {
    byWorker = Map.copyOf(byWorker);
  }

  /**
   * Replays what is to stay, and counts the rest.
   *
   * @param oplog the log's directory, in a state directory that the caller has locked
   * @param after the last entry that is to stay
   * @param progress told the index now and then
   * @throws io.hypersync.leader.recovery.ReplayException if an entry up to there is wrong, too
   * @throws UserError if the chunks of one are missing, or one behind it cannot be read
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   */
  public static LogSurvey of(Path oplog, ChunkStore chunks, long after, LongConsumer progress)
      throws IOException {
    LogReplay replay =
        new LogReplay(
            chunks,
            new IntentIndex(REMEMBERED_INTENTS, 0),
            LogReplay.EVERY_ENTRY,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            progress);
    Counts counts = new Counts();
    ChronicleOpLog.read(
        oplog,
        (index, payload) -> {
          if (index > after) {
            counts.add(decoded(index, payload));
            return RecoveryListener.Verdict.KEEP;
          }
          if (replay.onRecord(index, payload) != RecoveryListener.Verdict.KEEP) {
            throw new UserError(
                "log entry " + index + " cannot be replayed: its chunks are missing", "");
          }
          return RecoveryListener.Verdict.KEEP;
        });
    replay.ended();
    return new LogSurvey(
        replay.result().root(),
        replay.result().index(),
        counts.entries,
        counts.bytes,
        counts.byWorker,
        counts.firstNs,
        counts.lastNs);
  }

  /**
   * Writes the whole log as a trace, what is wrong in it as well: a replay of it ends where the
   * first entry is wrong.
   *
   * @throws TraceException if a chunk is missing or damaged
   */
  public static TraceWriter trace(Path oplog, ChunkStore chunks, OutputStream out)
      throws IOException {
    TraceWriter writer = new TraceWriter(out, hash -> StateTrace.bytes(chunks, hash));
    try {
      ChronicleOpLog.read(
          oplog,
          (index, payload) -> {
            try {
              writer.entry(decoded(index, payload));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return RecoveryListener.Verdict.KEEP;
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    writer.finish();
    return writer;
  }

  private static LogEntry decoded(long index, byte[] payload) {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw new UserError("log entry " + index + " cannot be read: " + e.getMessage(), "");
    }
  }

  private static final class Counts {
    private final Map<String, Long> byWorker = new TreeMap<>();
    private long entries;
    private long bytes;
    private long firstNs;
    private long lastNs;

    private void add(LogEntry entry) {
      entries++;
      bytes += entry.op().chunks().stream().mapToLong(ChunkRef::length).sum();
      byWorker.merge(entry.origin().name(), 1L, Long::sum);
      lastNs = entry.committedAtNs();
      if (entries == 1) {
        firstNs = lastNs;
      }
    }
  }
}

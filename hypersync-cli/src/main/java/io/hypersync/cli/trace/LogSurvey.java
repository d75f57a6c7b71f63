package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.CollectedFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Summary of a log before it is cut after an entry: the part up to the entry is replayed and
 * verified, the part behind it is only counted, because it may have wrong roots and ops that cannot
 * be applied (docs/diverged.md).
 *
 * @param root the Merkle root after the entry; replay and log agree on it
 * @param kept number of entries up to that one
 * @param cut number of entries behind it
 * @param bytes that the entries behind it have written
 * @param byWorker number of entries behind it by origin; the leader's own are under its name
 * @param firstNs when the first of them was committed, leader time in nanoseconds; 0 if there is
 *     none
 * @param lastNs when the last of them was committed; 0 if there is none
 * @param lostFiles files of the state after the entry that have chunks which are not in the store:
 *     their content was overwritten later, and collected
 * @param lostBytes the bytes of those chunks
 */
public record LogSurvey(
    Hash root,
    long kept,
    long cut,
    long bytes,
    Map<String, Long> byWorker,
    long firstNs,
    long lastNs,
    long lostFiles,
    long lostBytes) {
  /** The smallest possible number: intents are never looked up here. */
  private static final long REMEMBERED_INTENTS = 1;

  public LogSurvey {
    byWorker = Map.copyOf(byWorker);
  }

  /**
   * Replays the part that is kept, and counts the rest.
   *
   * @param oplog the log's directory, in a state directory that the caller has locked
   * @param chunks the chunk store of the same state directory
   * @param after index of the last entry that is kept
   * @param progress gets the index now and then
   * @throws io.hypersync.leader.recovery.ReplayException if an entry of the kept part is wrong, too
   * @throws UserError if the log does not begin at entry 1, chunks of a kept entry are missing and
   *     cannot have been collected, or an entry behind it cannot be decoded
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   */
  public static LogSurvey of(Path oplog, ChunkStore chunks, long after, LongConsumer progress)
      throws IOException {
    requireWhole(oplog);
    RootVersion roots = ChronicleOpLog.rootVersion(oplog);
    LogReplay replay =
        new LogReplay(
            ReplayStart.genesis(roots)
                .collectedThrough(Math.min(after, CollectedFile.most(oplog.resolveSibling("."))))
                .restoring(LoggedStates.of(roots, chunks)),
            chunks,
            IntentIndex.inMemory(new IntentRetention(REMEMBERED_INTENTS, 0)),
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
    Lost lost = Lost.of(replay.result().state(), chunks);
    return new LogSurvey(
        replay.result().root(),
        replay.result().index(),
        counts.entries,
        counts.bytes,
        counts.byWorker,
        counts.firstNs,
        counts.lastNs,
        lost.files,
        lost.bytes);
  }

  /**
   * Writes the whole log as a trace, including wrong entries: a replay of the trace ends at the
   * first wrong entry.
   *
   * @throws TraceException if a chunk is missing or damaged
   * @throws UserError if the log does not begin at entry 1
   */
  public static TraceWriter trace(Path oplog, ChunkStore chunks, OutputStream out)
      throws IOException {
    requireWhole(oplog);
    TraceWriter writer =
        new TraceWriter(
            out, ChronicleOpLog.rootVersion(oplog), hash -> StateTrace.bytes(chunks, hash));
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

  /**
   * Refuses a log whose first entries were trimmed: a trace, and whoever replays the log to look at
   * it, begins with the empty filesystem.
   */
  public static void requireWhole(Path oplog) throws IOException {
    long first = ChronicleOpLog.firstIndex(oplog);
    if (first > 1) {
      throw new UserError(
          "the log in " + oplog + " begins at entry " + first + ": older ones were removed",
          "This needs a log from entry 1 on.");
    }
  }

  private static LogEntry decoded(long index, byte[] payload) {
    try {
      return LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw new UserError("log entry " + index + " cannot be read: " + e.getMessage(), "");
    }
  }

  /** Content of a state that is not in the store. */
  private record Lost(long files, long bytes) {
    static Lost of(FsState state, ChunkStore chunks) {
      long files = 0;
      long bytes = 0;
      for (Node node : state.nodes()) {
        long before = bytes;
        if (node.content() instanceof FileContent content) {
          for (Extent extent : content.extents()) {
            bytes += chunks.contains(extent.chunk()) ? 0 : extent.length();
          }
        }
        files += bytes > before ? 1 : 0;
      }
      return new Lost(files, bytes);
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

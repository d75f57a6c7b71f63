package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.oplog.ForwardingListener;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
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
 * @param kept number of entries that the log has up to that one
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
  public LogSurvey {
    byWorker = Map.copyOf(byWorker);
  }

  /**
   * Replays the part that is kept, from the oldest snapshot on if the log was trimmed, and counts
   * the rest.
   *
   * @param stateDir of the leader; the caller has locked it
   * @param workspace whose snapshots are used
   * @param chunks the chunk store of the same state directory
   * @param after index of the last entry that is kept
   * @param progress gets the index now and then
   * @throws io.hypersync.leader.recovery.ReplayException if an entry of the kept part is wrong, too
   * @throws UserError if no snapshot that can be read stands for entries that were trimmed, as then
   *     no leader could start after the cut; if chunks of a kept entry are missing and cannot have
   *     been collected, or an entry behind it cannot be decoded
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   */
  public static LogSurvey of(
      Path stateDir, WorkspaceId workspace, ChunkStore chunks, long after, LongConsumer progress)
      throws IOException {
    StoppedLog log = StoppedLog.open(stateDir, workspace, chunks);
    LogReplay replay = log.replay(after, Math.min(after, CollectedFile.most(stateDir)), progress);
    if (log.first() > 1 && replay.begin() == 0) {
      throw new UserError(
          "the log begins at entry "
              + log.first()
              + ", and no snapshot of entry "
              + (log.first() - 1)
              + " to "
              + after
              + " can be read",
          "Name a later entry, behind a snapshot that can be read: ./hypersync snapshot verify");
    }
    Counts counts = new Counts();
    log.read(
        new ForwardingListener(replay) {
          @Override
          public Verdict onRecord(long index, byte[] payload) {
            if (index > after) {
              counts.add(decoded(index, payload));
            } else if (super.onRecord(index, payload) != Verdict.KEEP) {
              throw new UserError(
                  "log entry " + index + " cannot be replayed: its chunks are missing", "");
            }
            return Verdict.KEEP;
          }
        });
    Lost lost = Lost.of(replay.result().state(), chunks);
    return new LogSurvey(
        replay.result().root(),
        replay.result().index() - (log.first() - 1),
        counts.entries,
        counts.bytes,
        counts.byWorker,
        counts.firstNs,
        counts.lastNs,
        lost.files,
        lost.bytes);
  }

  /**
   * Writes the log as a trace, including wrong entries: a replay of the trace ends at the first
   * wrong entry. If entries were trimmed, or content of them was collected, it begins with the
   * oldest snapshot behind that, as {@link StateTrace} does.
   *
   * @param after the last entry that is not cut: a snapshot of a later one may be wrong
   * @throws TraceException if a chunk or a page is missing or damaged, or the log was trimmed and
   *     there is no such snapshot
   */
  public static TraceWriter trace(
      Path stateDir, WorkspaceId workspace, ChunkStore chunks, long after, OutputStream out)
      throws IOException {
    StoppedLog log = StoppedLog.open(stateDir, workspace, chunks);
    TraceWriter writer = new TraceWriter(out, log.roots(), hash -> StateTrace.bytes(chunks, hash));
    StateTrace.begin(writer, log, CollectedFile.most(stateDir), after);
    try {
      log.read(
          (index, payload) -> {
            try {
              if (index > writer.begin()) {
                writer.entry(decoded(index, payload));
              }
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

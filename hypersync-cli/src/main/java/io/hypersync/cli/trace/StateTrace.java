package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.oplog.ForwardingListener;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.snapshot.CollectedFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Writes a trace of a stopped leader's log. The log is replayed as at a start of the leader, so the
 * trace contains what the leader would continue from: verified, without entries at the tail that
 * were never acknowledged and would be cut.
 *
 * <p>A trace has all content that its entries mention. So if the log was trimmed, or content of
 * entries was collected, it begins with the oldest snapshot behind that.
 */
public final class StateTrace {
  private StateTrace() {}

  /**
   * Writes the trace.
   *
   * @param stateDir of the leader; its state lock is held meanwhile
   * @param workspace whose snapshots are used
   * @param out not closed
   * @param progress gets the index now and then
   * @return the writer, for its counts and the root
   * @throws io.hypersync.runtime.admin.UserError if the leader runs
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   * @throws io.hypersync.leader.recovery.ReplayException if replay does not reproduce the log's
   *     roots, or the log was trimmed and no snapshot that can be read stands for what is gone
   * @throws TraceException if a chunk is missing or damaged
   */
  public static TraceWriter write(
      Path stateDir, WorkspaceId workspace, OutputStream out, LongConsumer progress)
      throws IOException {
    try (StateLock _ = StateLock.acquire(stateDir, "hypersync trace");
        ChunkStore chunks =
            DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      StoppedLog log = StoppedLog.open(stateDir, workspace, chunks);
      long collected = CollectedFile.read(stateDir);
      LogReplay replay = log.replay(Long.MAX_VALUE, collected, progress);
      TraceWriter writer = new TraceWriter(out, log.roots(), hash -> bytes(chunks, hash));
      begin(writer, log, collected, Long.MAX_VALUE);
      log.read(
          new ForwardingListener(replay) {
            @Override
            public Verdict onRecord(long index, byte[] payload) {
              Verdict verdict = super.onRecord(index, payload);
              if (verdict == Verdict.KEEP) {
                append(writer, index, payload, collected);
              }
              return verdict;
            }
          });
      if (replay.result().index() < writer.begin()) {
        throw new TraceException(
            "the log ends at entry "
                + replay.result().index()
                + ", before the snapshot of entry "
                + writer.begin());
      }
      writer.finish();
      return writer;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Writes the state that a trace begins with, if it cannot begin with the empty filesystem.
   *
   * @param collected chunks that entries up to this one mention may be gone
   * @param through the highest index that the state may have
   * @throws TraceException if there is no such state, and the log was trimmed
   */
  static void begin(TraceWriter writer, StoppedLog log, long collected, long through)
      throws IOException {
    var snapshot = log.beginning(collected, through);
    if (snapshot != null) {
      writer.begin(snapshot.snapshot().manifest());
    } else if (log.first() > 1) {
      throw new TraceException(
          "the log begins at entry "
              + log.first()
              + (collected < log.first() ? "" : ", content was collected up to entry " + collected)
              + ", and no snapshot that can be read has what comes before the content that is left");
    }
  }

  /**
   * Replays the log and compares every root, and writes nothing. It needs no content, so it can be
   * done after a collection, too.
   *
   * @param stateDir of the leader; its state lock is held meanwhile
   * @param workspace whose snapshots are used
   * @param progress gets the index now and then
   * @return the last entry and its root, and what was compared
   * @throws io.hypersync.runtime.admin.UserError as {@link #write}
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   * @throws io.hypersync.leader.recovery.ReplayException if replay does not reproduce the log's
   *     roots, or the log ends before what was collected, or was trimmed and no snapshot that can
   *     be read stands for what is gone
   */
  public static Checked check(Path stateDir, WorkspaceId workspace, LongConsumer progress)
      throws IOException {
    try (StateLock _ = StateLock.acquire(stateDir, "hypersync trace");
        ChunkStore chunks =
            DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      StoppedLog log = StoppedLog.open(stateDir, workspace, chunks);
      LogReplay replay = log.replay(Long.MAX_VALUE, CollectedFile.read(stateDir), progress);
      long begin = replay.begin();
      log.read(replay);
      return new Checked(begin, replay.result());
    }
  }

  /**
   * What {@link #check} has found right.
   *
   * @param begin the entry of the snapshot that the replay has begun with; 0 for the empty
   *     filesystem
   * @param end the last entry, its state and root
   */
  public record Checked(long begin, LeaderState end) {
    /** How many roots were compared. */
    public long entries() {
      return end.index() - begin;
    }
  }

  private static void append(TraceWriter writer, long index, byte[] payload, long collected) {
    try {
      LogEntry entry = LogEntryCodec.decode(payload);
      if (index > writer.begin()) {
        writer.entry(entry);
      } else if (index == writer.begin() && !entry.root().equals(writer.root())) {
        throw new TraceException(
            "the snapshot of entry "
                + index
                + (" has root " + writer.root() + ", and the log says " + entry.root()));
      }
    } catch (TraceException e) {
      throw new UncheckedIOException(
          index > collected
              ? e
              : new TraceException(
                  "content of entry "
                      + index
                      + " was collected, as nothing needs it any more, and a trace has all content."
                      + " No snapshot that can be read has what comes before it. To compare the"
                      + " roots of all entries without content: ./hypersync trace --check"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DecodeException e) {
      throw new IllegalStateException("entry " + index + " was replayed and is none", e);
    }
  }

  static byte[] bytes(ChunkStore chunks, Hash hash) throws TraceException {
    byte[] bytes = chunks.getVerified(hash);
    if (bytes == null) {
      throw new TraceException("chunk " + hash + " is not in the store");
    }
    return bytes;
  }
}

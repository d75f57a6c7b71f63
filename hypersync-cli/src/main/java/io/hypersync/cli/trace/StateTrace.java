package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.trie.RootVersion;
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
 */
public final class StateTrace {
  /** The smallest possible number: intents are never looked up here. */
  private static final long REMEMBERED_INTENTS = 1;

  private StateTrace() {}

  /**
   * Writes the trace.
   *
   * @param stateDir of the leader; its state lock is held meanwhile
   * @param out not closed
   * @param progress gets the index now and then
   * @return the writer, for its counts and the root
   * @throws io.hypersync.runtime.admin.UserError if the leader runs, or the log does not begin at
   *     entry 1
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   * @throws io.hypersync.leader.recovery.ReplayException if replay does not reproduce the log's
   *     roots
   * @throws TraceException if a chunk is missing or damaged
   */
  public static TraceWriter write(Path stateDir, OutputStream out, LongConsumer progress)
      throws IOException {
    try (StateLock _ = StateLock.acquire(stateDir, "hypersync trace");
        ChunkStore chunks =
            DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      Path oplog = stateDir.resolve("oplog");
      LogSurvey.requireWhole(oplog);
      RootVersion roots = ChronicleOpLog.rootVersion(oplog);
      long collected = CollectedFile.read(stateDir);
      TraceWriter writer = new TraceWriter(out, roots, hash -> bytes(chunks, hash));
      LogReplay replay =
          new LogReplay(
              ReplayStart.genesis(roots)
                  .collectedThrough(collected)
                  .restoring(LoggedStates.of(roots, chunks)),
              chunks,
              IntentIndex.inMemory(new IntentRetention(REMEMBERED_INTENTS, 0)),
              LogReplay.EVERY_ENTRY, // each root is written into the trace
              RootHashing.AT_ONCE,
              Long.MAX_VALUE,
              progress);
      ChronicleOpLog.read(
          oplog,
          (index, payload) -> {
            RecoveryListener.Verdict verdict = replay.onRecord(index, payload);
            if (verdict == RecoveryListener.Verdict.KEEP) {
              append(writer, index, payload, collected);
            }
            return verdict;
          });
      writer.finish();
      return writer;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Replays the log and compares every root, and writes nothing. It needs no content, so it can be
   * done after a collection, too.
   *
   * @param stateDir of the leader; its state lock is held meanwhile
   * @param progress gets the index now and then
   * @return the last entry and its root
   * @throws io.hypersync.runtime.admin.UserError as {@link #write}
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if the log is damaged
   * @throws io.hypersync.leader.recovery.ReplayException if replay does not reproduce the log's
   *     roots, or the log ends before what was collected
   */
  public static LeaderState check(Path stateDir, LongConsumer progress) throws IOException {
    try (StateLock _ = StateLock.acquire(stateDir, "hypersync trace");
        ChunkStore chunks =
            DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      Path oplog = stateDir.resolve("oplog");
      LogSurvey.requireWhole(oplog);
      RootVersion roots = ChronicleOpLog.rootVersion(oplog);
      LogReplay replay =
          new LogReplay(
              ReplayStart.genesis(roots)
                  .collectedThrough(CollectedFile.read(stateDir))
                  .restoring(LoggedStates.of(roots, chunks)),
              chunks,
              IntentIndex.inMemory(new IntentRetention(REMEMBERED_INTENTS, 0)),
              LogReplay.EVERY_ENTRY,
              RootHashing.AT_ONCE,
              Long.MAX_VALUE,
              progress);
      ChronicleOpLog.read(oplog, replay);
      return replay.result();
    }
  }

  private static void append(TraceWriter writer, long index, byte[] payload, long collected) {
    try {
      writer.entry(LogEntryCodec.decode(payload));
    } catch (TraceException e) {
      throw new UncheckedIOException(
          index > collected
              ? e
              : new TraceException(
                  "content of entry "
                      + index
                      + " was collected, as nothing needs it any more, and a trace has all content."
                      + " To compare the roots of all entries without it: ./hypersync trace --check"));
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

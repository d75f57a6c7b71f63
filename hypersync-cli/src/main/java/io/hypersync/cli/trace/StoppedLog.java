package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.OldestSnapshot;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.SnapshotDirectory;
import io.hypersync.snapshot.SnapshotReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of a leader that does not run, to be looked at without one. If its first entries were
 * trimmed (hypersync.md 14.1), the oldest snapshot stands for them. Nothing is changed, but that
 * the chunks of inline payloads are stored where they are missing, as at each start.
 */
final class StoppedLog {
  private final Path oplog;
  private final ChunkStore chunks;
  private final RootVersion roots;
  private final OldestSnapshot snapshots;
  private final long first;

  private StoppedLog(
      Path oplog, ChunkStore chunks, RootVersion roots, OldestSnapshot snapshots, long first) {
    this.oplog = oplog;
    this.chunks = chunks;
    this.roots = roots;
    this.snapshots = snapshots;
    this.first = first;
  }

  /**
   * Opens it.
   *
   * @param stateDir of the leader; the caller has locked it
   * @param chunks the chunk store in it
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if its first or last segment is damaged
   */
  static StoppedLog open(Path stateDir, WorkspaceId workspace, ChunkStore chunks)
      throws IOException {
    Path oplog = stateDir.resolve("oplog");
    RootVersion roots = ChronicleOpLog.rootVersion(oplog);
    return new StoppedLog(
        oplog,
        chunks,
        roots,
        new OldestSnapshot(SnapshotDirectory.of(stateDir), workspace, chunks, roots),
        ChronicleOpLog.firstIndex(oplog));
  }

  /** The version of its roots. */
  RootVersion roots() {
    return roots;
  }

  /** Its first entry; 1 unless it was trimmed. */
  long first() {
    return first;
  }

  /**
   * A replay that compares the root of every entry, beginning as early as can be.
   *
   * @param through the last entry that it is for
   * @param collected chunks that entries up to this one mention may be gone
   * @param progress gets the index now and then
   */
  LogReplay replay(long through, long collected, LongConsumer progress) throws IOException {
    return new LogReplay(
        snapshots
            .start(first, through)
            .collectedThrough(collected)
            .restoring(LoggedStates.of(roots, chunks)),
        chunks,
        IntentIndex.unused(first),
        LogReplay.EVERY_ENTRY,
        RootHashing.AT_ONCE,
        Long.MAX_VALUE,
        progress);
  }

  /**
   * The snapshot that a trace begins with, because a trace has all content of its entries: the
   * oldest one behind what was trimmed and collected.
   *
   * @param collected chunks that entries up to this one mention may be gone
   * @param through the highest index that the snapshot may have
   * @return null for the empty filesystem: nothing is gone, or no snapshot can be read
   */
  SnapshotReader.@Nullable Whole beginning(long collected, long through) throws IOException {
    long from = Math.max(first - 1, collected);
    return from == 0 ? null : snapshots.between(from, through);
  }

  /** Reads the log, as {@link ChronicleOpLog#read}. */
  void read(RecoveryListener listener) throws IOException {
    ChronicleOpLog.read(oplog, listener);
  }
}

package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotDirectory;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The state directory of a leader that made a directory of files, wrote to one of them, and has
 * trimmed its log. Each write replaces the one before it.
 */
public final class TrimmedLog {
  /** The first entry that the log has. */
  public static final int FIRST = 103;

  /** The last entry. */
  public static final int LAST = 106;

  /** Enough files that the state has pages. */
  private static final int FILES = 100;

  private final List<LogEntry> entries = new ArrayList<>();
  private final List<FsState> states = new ArrayList<>(List.of(FsState.genesis()));
  private final List<Chunk> chunks = new ArrayList<>();

  private TrimmedLog() {}

  /**
   * Writes the state directory.
   *
   * @param snapshots the entries that it has snapshots of
   */
  public static TrimmedLog write(Path stateDir, WorkspaceId workspace, int... snapshots)
      throws IOException {
    return writeFaulty(stateDir, workspace, 0, 0, snapshots);
  }

  /**
   * The same where something is not as it should be.
   *
   * @param collected content of entries up to this one is not there
   * @param wrongAt the index of the entry whose root is wrong; 0 for none
   * @param snapshots the entries that it has snapshots of
   */
  static TrimmedLog writeFaulty(
      Path stateDir, WorkspaceId workspace, int collected, long wrongAt, int... snapshots)
      throws IOException {
    TrimmedLog log = new TrimmedLog();
    for (int i = 1; i <= LAST; i++) {
      log.add(i, wrongAt);
    }
    try (DiskChunkStore store =
        DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      store.putAll(log.chunks.subList(Math.max(0, collected - FILES), log.chunks.size()));
      for (int index : snapshots) {
        log.snapshot(stateDir, workspace, store, index);
      }
      log.append(stateDir, store, 1, FIRST - 1);
      log.append(stateDir, store, FIRST, LAST);
    }
    return log;
  }

  /** The root after an entry. */
  public Hash root(int index) {
    return states.get(index).root();
  }

  private void add(int index, long wrongAt) {
    NodeId file = new NodeId(5, index);
    FsOp op;
    if (index <= FILES) {
      op = new FsOp.CreateFile(FsState.ROOT, Name.of("file " + index), 0644, 0, 0);
    } else {
      Chunk written = Chunk.of((index + "x").repeat(5_000).getBytes(StandardCharsets.UTF_8));
      chunks.add(written);
      op = new FsOp.Write(new NodeId(5, 1), WriteMode.PWRITE, 0, List.of(written.ref()), false);
    }
    FsState after = States.after(states.getLast(), op, index, file);
    states.add(after);
    entries.add(
        Entries.of(index, op)
            .creating(index <= FILES ? file : LogEntry.NO_NODE)
            .root(index == wrongAt ? new Hash(6, 6, 6, 6) : after.root())
            .entry());
  }

  private void snapshot(Path stateDir, WorkspaceId workspace, ChunkStore store, int index)
      throws IOException {
    FsState state = states.get(index);
    StoredPages pages = new StoredPages(store, RateLimit.NONE);
    PageWriter writer = PageWriter.complete(state.version(), pages);
    byte[] manifest =
        new Manifest(workspace, index, index, StateWeight.of(state), state).write(writer).bytes();
    pages.flush();
    SnapshotDirectory.of(stateDir)
        .put(new Snapshot(index, index, writer.pages(), writer.bytes(), false, "", manifest));
  }

  /** Into a segment of its own; those before it are trimmed. */
  private void append(Path stateDir, DiskChunkStore store, int from, int through)
      throws IOException {
    try (ChronicleOpLog oplog =
        ChronicleOpLog.open(
            stateDir.resolve("oplog"),
            OpLogOptions.DEFAULT.withSegmentBytes(256 << 10),
            store::sync,
            (_, _) -> Verdict.KEEP,
            new Deaf())) {
      for (LogEntry entry : entries.subList(from - 1, through)) {
        oplog.append(entry.index(), LogEntryCodec.encode(entry), true);
      }
      if (from > 1) {
        long first = oplog.trim(from - 1L);
        if (first != from) {
          throw new AssertionError("the log begins at " + first);
        }
      }
    }
  }

  private static final class Deaf implements OpLogListener {
    @Override
    public void onDurable(CommittedBatch batch) {
      // Nothing to do: closing the log waits for durability.
    }

    @Override
    public void onFailure(OpLogFailedException failure) {
      throw failure;
    }
  }
}

package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
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
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The state directory of a leader that committed one file and two writes to it. */
public final class SmallLog {
  private static final NodeId FILE = new NodeId(5, 5);

  private final List<LogEntry> entries = new ArrayList<>();
  private FsState state;
  private final long wrongAt;

  private SmallLog(RootVersion roots, long wrongAt) {
    this.state = FsState.genesis(roots);
    this.wrongAt = wrongAt;
  }

  /**
   * Writes the state directory.
   *
   * @return the root after the last entry
   */
  public static Hash write(Path stateDir) throws IOException {
    return write(stateDir, 0);
  }

  /**
   * The same with a wrong root in one entry.
   *
   * @param wrongAt the index of the entry whose root is wrong; 0 for none
   */
  public static Hash write(Path stateDir, long wrongAt) throws IOException {
    return write(stateDir, RootVersion.LATEST, wrongAt);
  }

  /** The same with roots of this version. */
  public static Hash write(Path stateDir, RootVersion roots, long wrongAt) throws IOException {
    Chunk small = Chunk.of("in the entry".getBytes(StandardCharsets.UTF_8));
    Chunk large = Chunk.of("x".repeat(10_000).getBytes(StandardCharsets.UTF_8));
    SmallLog log = new SmallLog(roots, wrongAt);
    log.add(new FsOp.CreateFile(FsState.ROOT, Name.of("a"), 0644, 0, 0), new byte[0]);
    log.add(new FsOp.Write(FILE, WriteMode.PWRITE, 0, List.of(small.ref()), false), small.bytes());
    log.add(new FsOp.Write(FILE, WriteMode.PWRITE, 70, List.of(large.ref()), false), new byte[0]);
    try (DiskChunkStore chunks =
            DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT);
        ChronicleOpLog oplog =
            ChronicleOpLog.open(
                stateDir.resolve("oplog"),
                OpLogOptions.DEFAULT.withSegmentBytes(256 << 10).withRoots(roots),
                chunks::sync,
                (_, _) -> Verdict.KEEP,
                new Deaf())) {
      chunks.put(large.hash(), large.bytes());
      for (LogEntry entry : log.entries) {
        oplog.append(entry.index(), LogEntryCodec.encode(entry), true);
      }
    }
    return log.state.root();
  }

  private void add(FsOp op, byte[] inline) {
    long index = entries.size() + 1L;
    state = States.after(state, op, index, FILE);
    entries.add(
        Entries.of(index, op)
            .creating(index == 1 ? FILE : LogEntry.NO_NODE)
            .root(index == wrongAt ? new Hash(6, 6, 6, 6) : state.root())
            .inline(inline)
            .entry());
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

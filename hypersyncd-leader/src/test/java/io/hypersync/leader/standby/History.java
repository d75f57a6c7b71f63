package io.hypersync.leader.standby;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Entries, as a leader commits them: a file is made, and each write overwrites the one before. */
final class History {
  /** The file. */
  static final NodeId FILE = new NodeId(9, 9);

  final List<LogEntry> entries = new ArrayList<>();
  final List<Chunk> content = new ArrayList<>();
  private FsState state = FsState.genesis();

  History() {
    commit(new FsOp.CreateFile(FsState.ROOT, Name.of("file"), 0644, 0, 0));
  }

  /** The same entries, and others from here on. */
  History(History other) {
    entries.addAll(other.entries);
    content.addAll(other.content);
    state = other.state;
  }

  History write(String text) {
    byte[] bytes = text.repeat(2_000).getBytes(StandardCharsets.US_ASCII);
    Chunk chunk = new Chunk(Blake3.hash(bytes), bytes);
    content.add(chunk);
    commit(
        new FsOp.Write(
            FILE, WriteMode.PWRITE, 0, List.of(new ChunkRef(chunk.hash(), bytes.length)), false));
    return this;
  }

  /** The root after the last entry. */
  Hash root() {
    return state.root();
  }

  private void commit(FsOp op) {
    long index = entries.size() + 1L;
    NodeId created = op instanceof FsOp.CreateFile ? FILE : LogEntry.NO_NODE;
    state = States.after(state, op, index, created);
    entries.add(Entries.of(index, op).creating(created).root(state.root()).entry());
  }
}

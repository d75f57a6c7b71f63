package io.hypersync.leader.backup;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.fixtures.States;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotTask;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A workspace whose content is in a chunk store, and of which snapshots are taken. */
public final class ChangingTree {
  public static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  private final ChunkStore chunks;
  private final Map<String, NodeId> files = new HashMap<>();
  private FsState state = FsState.genesis();
  private long index;

  public ChangingTree(ChunkStore chunks) {
    this.chunks = chunks;
  }

  public FsState state() {
    return state;
  }

  public long index() {
    return index;
  }

  private NodeId commit(FsOp op) {
    index++;
    NodeId node = new NodeId(9, index);
    state = States.after(state, op, index, node);
    return node;
  }

  private ChunkRef stored(String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    ChunkRef ref = new ChunkRef(Blake3.hash(bytes), bytes.length);
    chunks.put(ref.hash(), bytes);
    return ref;
  }

  /** Writes a file, which is made if it is not there; returns its chunk. */
  public Hash file(String name, String content) {
    NodeId node =
        files.computeIfAbsent(
            name, _ -> commit(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0)));
    ChunkRef ref = stored(content);
    var _ = commit(new FsOp.Write(node, WriteMode.PWRITE, 0, List.of(ref), false));
    return ref.hash();
  }

  /** Makes so many files that the state has many pages. */
  public void files(String prefix, int count) {
    for (int i = 0; i < count; i++) {
      var _ = file(prefix + i, prefix + " content " + i);
    }
  }

  /** Sets an attribute of a file; returns the chunk of its value. */
  public Hash attribute(String file, String value) {
    ChunkRef ref = stored(value);
    byte[] name = "user.x".getBytes(StandardCharsets.UTF_8);
    var _ = commit(new FsOp.SetXattr(files.get(file), name, ref, XattrMode.SET));
    return ref.hash();
  }

  /** Takes a snapshot of the newest state. */
  public Snapshot snapshot(String name) throws Exception {
    Manifest manifest = new Manifest(WORKSPACE, index, index, StateWeight.of(state), state);
    SnapshotTask task =
        new SnapshotTask(
            manifest,
            name,
            5,
            chunks,
            new ListedStates(),
            RateLimit.NONE,
            SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
    while (task.step()) {}
    return task.result();
  }
}

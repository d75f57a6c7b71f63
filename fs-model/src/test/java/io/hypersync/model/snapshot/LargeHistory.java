package io.hypersync.model.snapshot;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Ops from a seed that make many nodes, large directories, files of many extents and of many
 * attributes: enough for pages of each kind. Node ids are in the order of time, as the leader's
 * are.
 */
public final class LargeHistory {
  private final Random random;
  private final List<NodeId> directories = new ArrayList<>(List.of(FsState.ROOT));
  private final List<NodeId> files = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;

  /** A history that has not begun. */
  public LargeHistory(long seed) {
    random = new Random(seed);
  }

  /** The state after all ops so far. */
  public FsState state() {
    return state;
  }

  /** The index of the last op that was applied. */
  public long index() {
    return index;
  }

  /** Goes on from another representation of the same state. */
  public void restart(FsState same) {
    state = same;
  }

  /** Applies some ops; those that fail do not count. */
  public LargeHistory run(int ops) {
    for (int i = 0; i < ops; ) {
      i += apply(next()) ? 1 : 0;
    }
    return this;
  }

  /** Reaps all orphans, as when nobody has anything open: few states have many. */
  public LargeHistory reapOrphans() {
    List<NodeId> orphans = new ArrayList<>();
    state.orphans().forEach(orphan -> orphans.add(orphan.node()));
    if (!orphans.isEmpty() && !apply(new FsOp.ReapOrphans(orphans))) {
      throw new IllegalStateException("orphans can be reaped");
    }
    return this;
  }

  private boolean apply(FsOp unresolved) {
    FsOp op = FsStateMachine.resolve(state, unresolved);
    NodeId id = new NodeId(0x0198_0000_0000_0000L, 1_000 + index);
    Outcome outcome = FsStateMachine.apply(state, op, new Stamp(1_000_000 + index, id));
    if (!(outcome instanceof Outcome.Applied(FsState next))) {
      return false;
    }
    if (op instanceof FsOp.MakeDir) {
      directories.add(id);
    } else if (op instanceof FsOp.CreateFile || op instanceof FsOp.MakeTemporary) {
      files.add(id);
    }
    state = next;
    index++;
    return true;
  }

  private FsOp next() {
    NodeId directory = directories.get(random.nextInt(Math.min(directories.size(), 5)));
    return switch (random.nextInt(20)) {
      case 0 -> new FsOp.MakeDir(directory, name(), 0755, 1, 2);
      case 1 -> new FsOp.MakeSymlink(directory, name(), text("t".repeat(1 + index(300))), 1, 2);
      case 2 -> new FsOp.MakeNode(directory, name(), NodeType.BLOCK_DEVICE, 0600, 0, 6, 2049);
      case 3 -> new FsOp.MakeTemporary(directory, 0600, 1, 2);
      case 4 -> new FsOp.Unlink(directory, name());
      case 5 -> new FsOp.RemoveDir(directory, name());
      case 6, 7 ->
          new FsOp.Rename(
              directory,
              name(),
              directories.get(index(directories.size())),
              name(),
              RenameMode.REPLACE);
      case 8, 9, 10, 11 ->
          new FsOp.Write(
              file(), WriteMode.PWRITE, 1_000L * index(1_000), List.of(chunk(500)), false);
      case 12, 13 ->
          new FsOp.SetXattr(
              file(), text("user." + "x".repeat(index(40)) + index(5)), chunk(9), XattrMode.SET);
      case 14 -> new FsOp.Link(file(), directory, name());
      case 15 -> new FsOp.ReapOrphans(List.of(orphan()));
      default -> new FsOp.CreateFile(directory, name(), 0644, 1, 2);
    };
  }

  private int index(int below) {
    return random.nextInt(below);
  }

  /** Mostly one of the first files, so that those get many extents and attributes. */
  private NodeId file() {
    int among = random.nextInt(3) == 0 ? files.size() : Math.min(files.size(), 4);
    return files.isEmpty() ? FsState.ROOT : files.get(index(among));
  }

  private NodeId orphan() {
    return state.orphans().isEmpty() ? FsState.ROOT : state.orphans().iterator().next().node();
  }

  private Name name() {
    int number = index(4_000);
    return Name.of((number % 10 == 0 ? "a-longer-name-".repeat(number % 15) : "n") + number);
  }

  private ChunkRef chunk(int length) {
    return new ChunkRef(
        new Hash(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong()),
        length);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

package io.hypersync.model.state;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Generates ops from a seed, with few names, few nodes and small files, so that most ops refer to
 * something that exists. Some refer to removed or reaped nodes, or to nodes that never existed.
 */
final class RandomOps {
  private static final int MOST_NODES = 12;
  private static final int MOST_BYTES = 200;
  private static final int FAR_EVERY = 16;
  private static final long[] FAR = {1L << 40, Long.MAX_VALUE - 300, Long.MAX_VALUE - 2};
  private static final int[] MODES = {0644, 0755, 06755, 06745, 02755, 0, 07777};
  private static final byte[][] NAMES = {
    {'a'}, {'a', 'a'}, {'a', 'b'}, {'b'}, {'B'}, {(byte) 0xff}, {(byte) 0xff, (byte) 0xff}, {1}
  };
  private static final String[] XATTR_NAMES = {"user.a", "user.b", "security.capability"};

  private final Random random;
  private final Map<Hash, byte[]> chunks = new HashMap<>();
  private final List<NodeId> directories = new ArrayList<>();
  private final List<NodeId> files = new ArrayList<>();

  RandomOps(long seed) {
    random = new Random(seed);
    chunks.put(ChunkRef.EMPTY.hash(), new byte[0]);
  }

  /** The chunks of all ops so far, by hash. */
  Map<Hash, byte[]> chunks() {
    return chunks;
  }

  /** The stamp that a leader would give the next op. */
  Stamp stamp(long timeNs) {
    return new Stamp(timeNs, new NodeId(random.nextLong(), random.nextLong()));
  }

  /** Records that an op was applied, so that later ops may refer to the node it created. */
  void applied(FsOp op, Stamp stamp) {
    switch (op) {
      case FsOp.MakeDir _ -> remember(directories, stamp.newNode());
      case FsOp.CreateFile _, FsOp.MakeNode _, FsOp.MakeTemporary _ ->
          remember(files, stamp.newNode());
      case FsOp.MakeSymlink _ -> {
        if (random.nextInt(4) == 0) {
          remember(files, stamp.newNode());
        }
      }
      case FsOp.Link _,
          FsOp.Unlink _,
          FsOp.RemoveDir _,
          FsOp.Rename _,
          FsOp.Write _,
          FsOp.Truncate _,
          SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.ReapOrphans _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.LinkTemporary _,
          FsOp.RestoreState _ -> {}
    }
  }

  private void remember(List<NodeId> nodes, NodeId id) {
    if (nodes.size() == MOST_NODES) {
      nodes.remove(random.nextInt(MOST_NODES));
    }
    nodes.add(id);
  }

  /**
   * A restore of a state that was written before, while some nodes are open, of which some do not
   * exist.
   */
  FsOp.RestoreState restore(List<byte[]> manifests) {
    List<NodeId> open = new ArrayList<>();
    while (random.nextInt(6) > 0) {
      open.add(node());
    }
    return new FsOp.RestoreState(manifests.get(random.nextInt(manifests.size())), open);
  }

  /** The next op, which is no restore; appends and copies are not resolved. */
  FsOp next() {
    return switch (random.nextInt(35)) {
      case 0, 1, 2 -> new FsOp.CreateFile(directory(), name(), mode(), number(), number());
      case 3, 4, 5 -> new FsOp.MakeDir(directory(), name(), mode(), number(), number());
      case 6 -> new FsOp.MakeSymlink(directory(), name(), name().bytes(), number(), number());
      case 7 ->
          new FsOp.MakeNode(directory(), name(), type(), mode(), number(), number(), number());
      case 8, 9 -> new FsOp.Link(file(), directory(), name());
      case 10, 11 -> new FsOp.Unlink(directory(), name());
      case 12, 13, 33 -> new FsOp.RemoveDir(directory(), name());
      case 14, 15, 16, 17 ->
          new FsOp.Rename(directory(), name(), directory(), name(), pick(RenameMode.values()));
      case 18, 19, 20 -> write(WriteMode.PWRITE, place());
      case 21 -> write(WriteMode.APPEND, 0);
      case 22 -> new FsOp.Truncate(file(), place(), random.nextBoolean());
      case 23 -> new SetAttributes(node(), random.nextInt(64), mode(), number(), number(), -7);
      case 24, 25 -> new FsOp.SetXattr(node(), xattr(), chunk(), pick(XattrMode.values()));
      case 26 -> new FsOp.RemoveXattr(node(), xattr());
      case 27, 28 -> allocate();
      case 29, 30 -> copy();
      case 31 -> new FsOp.MakeTemporary(directory(), mode(), number(), number());
      case 32 -> new FsOp.LinkTemporary(file(), directory(), name());
      default ->
          new FsOp.ReapOrphans(random.nextInt(3) == 0 ? List.of(node(), node()) : List.of(node()));
    };
  }

  private FsOp allocate() {
    return new FsOp.Allocate(
        file(),
        pick(AllocateMode.values()),
        place(),
        1 + random.nextInt(MOST_BYTES),
        random.nextBoolean());
  }

  private FsOp copy() {
    NodeId source = file();
    return new FsOp.CopyRange(
        source,
        random.nextInt(FAR_EVERY) == 0 ? place() : random.nextInt(MOST_BYTES / 2),
        random.nextInt(3) == 0 ? source : file(),
        place(),
        random.nextInt(FAR_EVERY) == 0 ? FsOp.CopyRange.MAX_BYTES : 1 + random.nextInt(MOST_BYTES),
        random.nextBoolean());
  }

  /** Mostly a small offset; sometimes one so large that holes are large and ends may overflow. */
  private long place() {
    return random.nextInt(FAR_EVERY) == 0
        ? FAR[random.nextInt(FAR.length)]
        : random.nextInt(MOST_BYTES);
  }

  private FsOp write(WriteMode mode, long offset) {
    List<ChunkRef> list = new ArrayList<>();
    while (list.isEmpty() || random.nextInt(3) == 0) {
      ChunkRef chunk = chunk();
      if (chunk.length() > 0) {
        list.add(chunk);
      }
    }
    return new FsOp.Write(file(), mode, offset, list, random.nextBoolean());
  }

  /** A chunk from a small set, so that chunks repeat. */
  private ChunkRef chunk() {
    byte[] bytes = new byte[random.nextInt(20)];
    int first = random.nextInt(4);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (first + i);
    }
    Hash hash = Blake3.hash(bytes);
    chunks.put(hash, bytes);
    return new ChunkRef(hash, bytes.length);
  }

  private NodeId directory() {
    return switch (random.nextInt(12)) {
      case 0 -> node();
      case 1, 2, 3 -> FsState.ROOT;
      default -> pick(directories);
    };
  }

  private NodeId file() {
    return random.nextInt(12) == 0 ? node() : pick(files);
  }

  private NodeId node() {
    return switch (random.nextInt(10)) {
      case 0 -> new NodeId(0, random.nextInt(3));
      case 1, 2, 3, 4 -> pick(directories);
      default -> pick(files);
    };
  }

  private NodeId pick(List<NodeId> nodes) {
    return nodes.isEmpty() ? FsState.ROOT : nodes.get(random.nextInt(nodes.size()));
  }

  private Name name() {
    return Name.of(NAMES[random.nextInt(NAMES.length)]);
  }

  private byte[] xattr() {
    return XATTR_NAMES[random.nextInt(XATTR_NAMES.length)].getBytes(StandardCharsets.US_ASCII);
  }

  private NodeType type() {
    NodeType type = pick(NodeType.values());
    return type == NodeType.DIRECTORY || type == NodeType.SYMLINK ? NodeType.FIFO : type;
  }

  private int mode() {
    return MODES[random.nextInt(MODES.length)];
  }

  private int number() {
    return random.nextInt(3);
  }

  private <T> T pick(T[] values) {
    return values[random.nextInt(values.length)];
  }
}

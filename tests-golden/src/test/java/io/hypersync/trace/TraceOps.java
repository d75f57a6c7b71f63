package io.hypersync.trace;

import io.hypersync.chunkstore.Chunk;
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
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;

/** Generates ops that mostly succeed on a state, with odd names, far offsets, and all modes. */
final class TraceOps {
  private static final int KINDS = 26;
  private static final int MOST_NODES = 40;
  private static final int LARGE_EVERY = 60;
  private static final long[] FAR = {1 << 20, 1L << 40, Long.MAX_VALUE / 2};
  private static final int[] MODES = {0644, 0755, 02755, 04711, 01777, 0};
  private static final byte[][] NAMES = {
    utf8("a"),
    utf8("b"),
    utf8("Makefile"),
    utf8("\u00fcn\u00efc\u00f6de \u6587\u4ef6 \ud83d\ude80"),
    utf8("line\nfeed"),
    utf8("..."),
    utf8("-rf"),
    utf8("n".repeat(Name.MAX_BYTES)),
    {(byte) 0xff, (byte) 0xfe, 1},
    {(byte) 0xc0, (byte) 0x80},
  };
  private static final String[] XATTRS = {"user.a", "user.mime_type", "security.capability"};
  private static final NodeType[] NODE_TYPES = {
    NodeType.FILE, NodeType.FIFO, NodeType.SOCKET, NodeType.CHARACTER_DEVICE, NodeType.BLOCK_DEVICE
  };

  private final Random random;
  private final Map<Hash, byte[]> chunks = new HashMap<>();
  private int large;
  private FsState state = FsState.genesis();

  TraceOps(Random random) {
    this.random = random;
  }

  /** The bytes of every chunk that an op has referred to. */
  Map<Hash, byte[]> chunks() {
    return chunks;
  }

  /** An op that probably succeeds on this state. */
  FsOp next(FsState now) {
    state = now;
    boolean full = now.nodes().size() > MOST_NODES;
    int kind = random.nextInt(KINDS);
    return switch (full && kind < 6 ? 6 + random.nextInt(3) : kind) {
      case 0, 1 -> new FsOp.CreateFile(directory(), name(), mode(), id(), id());
      case 2 -> new FsOp.MakeDir(directory(), name(), mode(), id(), id());
      case 3 -> new FsOp.MakeSymlink(directory(), name(), pick(NAMES), id(), id());
      case 4 -> {
        NodeType type = pick(NODE_TYPES);
        yield new FsOp.MakeNode(directory(), name(), type, mode(), id(), id(), random.nextInt());
      }
      case 5 -> new FsOp.MakeTemporary(directory(), mode(), id(), id());
      case 6 -> unlink();
      case 7 -> removeDir();
      case 8 -> new FsOp.ReapOrphans(some(all(Node::isOrphan)));
      case 9 -> new FsOp.Link(any(node -> node.type() != NodeType.DIRECTORY), directory(), name());
      case 10, 11 -> rename();
      case 12, 13, 14, 15 -> write();
      case 16 -> new FsOp.Truncate(file(), offset(), random.nextBoolean());
      case 17, 18 -> setAttributes();
      case 19, 20 -> setXattr();
      case 21 -> new FsOp.RemoveXattr(any(node -> !node.xattrs().isEmpty()), utf8(pick(XATTRS)));
      case 22 -> {
        AllocateMode mode = pick(AllocateMode.values());
        long length = 1L + random.nextInt(300);
        yield new FsOp.Allocate(file(), mode, offset(), length, random.nextBoolean());
      }
      case 23, 24 -> {
        long length = 1L + random.nextInt(500);
        yield new FsOp.CopyRange(file(), near(), file(), offset(), length, random.nextBoolean());
      }
      default ->
          new FsOp.LinkTemporary(
              any(node -> node.isOrphan() && node.type() == NodeType.FILE), directory(), name());
    };
  }

  private FsOp unlink() {
    NodeId parent = directory();
    return new FsOp.Unlink(parent, entry(parent));
  }

  private FsOp removeDir() {
    NodeId parent = directory();
    return new FsOp.RemoveDir(parent, entry(parent));
  }

  private FsOp rename() {
    NodeId parent = directory();
    RenameMode mode = pick(RenameMode.values());
    return new FsOp.Rename(parent, entry(parent), directory(), name(), mode);
  }

  private FsOp write() {
    List<ChunkRef> written = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      written.add(chunk());
    }
    WriteMode mode = random.nextInt(3) == 0 ? WriteMode.APPEND : WriteMode.PWRITE;
    return new FsOp.Write(file(), mode, offset(), written, random.nextBoolean());
  }

  private FsOp setAttributes() {
    int mask = random.nextInt(SetAttributes.ALL + 1);
    long time = random.nextInt(4) == 0 ? -1 : random.nextLong();
    return new SetAttributes(any(_ -> true), mask, mode(), id(), id(), time);
  }

  private FsOp setXattr() {
    ChunkRef value = random.nextInt(5) == 0 ? ChunkRef.EMPTY : chunk();
    XattrMode mode = pick(XattrMode.values());
    return new FsOp.SetXattr(any(_ -> true), utf8(pick(XATTRS)), value, mode);
  }

  private ChunkRef chunk() {
    int length = 1 + random.nextInt(120);
    if (++large % LARGE_EVERY == 0) {
      length = large == LARGE_EVERY ? ChunkRef.MAX_LENGTH : 4096;
    }
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    Chunk chunk = Chunk.of(bytes);
    chunks.put(chunk.hash(), bytes);
    return chunk.ref();
  }

  private NodeId directory() {
    return any(node -> node.type() == NodeType.DIRECTORY && !node.isOrphan());
  }

  private NodeId file() {
    return any(node -> node.type() == NodeType.FILE);
  }

  private NodeId any(Predicate<Node> wanted) {
    List<NodeId> found = all(wanted);
    return found.isEmpty() ? FsState.ROOT : found.get(random.nextInt(found.size()));
  }

  private List<NodeId> all(Predicate<Node> wanted) {
    List<NodeId> found = new ArrayList<>();
    for (Node node : state.nodes()) {
      if (wanted.test(node)) {
        found.add(node.id());
      }
    }
    return found;
  }

  private List<NodeId> some(List<NodeId> nodes) {
    return nodes.subList(0, Math.min(nodes.size(), 1 + random.nextInt(3)));
  }

  private Name entry(NodeId parent) {
    List<Name> names = new ArrayList<>();
    Node node = state.node(parent);
    if (node != null && node.content() instanceof NodeContent.Directory directory) {
      for (DirEntry entry : directory.entries()) {
        names.add(entry.name());
      }
    }
    return names.isEmpty() ? name() : names.get(random.nextInt(names.size()));
  }

  private Name name() {
    return Name.of(pick(NAMES));
  }

  private int mode() {
    return MODES[random.nextInt(MODES.length)];
  }

  private int id() {
    return random.nextInt(4) == 0 ? -2 : random.nextInt(3);
  }

  private long offset() {
    return random.nextInt(6) == 0 ? FAR[random.nextInt(FAR.length)] : near();
  }

  private long near() {
    return random.nextInt(3) == 0 ? 0 : random.nextInt(600);
  }

  private <T> T pick(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

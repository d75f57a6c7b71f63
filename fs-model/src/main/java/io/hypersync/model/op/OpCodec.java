package io.hypersync.model.op;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp.Allocate;
import io.hypersync.model.op.FsOp.CopyRange;
import io.hypersync.model.op.FsOp.CreateFile;
import io.hypersync.model.op.FsOp.Link;
import io.hypersync.model.op.FsOp.LinkTemporary;
import io.hypersync.model.op.FsOp.MakeDir;
import io.hypersync.model.op.FsOp.MakeNode;
import io.hypersync.model.op.FsOp.MakeSymlink;
import io.hypersync.model.op.FsOp.MakeTemporary;
import io.hypersync.model.op.FsOp.ReapOrphans;
import io.hypersync.model.op.FsOp.RemoveDir;
import io.hypersync.model.op.FsOp.RemoveXattr;
import io.hypersync.model.op.FsOp.Rename;
import io.hypersync.model.op.FsOp.RestoreState;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.FsOp.SetXattr;
import io.hypersync.model.op.FsOp.Truncate;
import io.hypersync.model.op.FsOp.Unlink;
import io.hypersync.model.op.FsOp.Write;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes ops: the canonical bytes, version 1, in the log and on the wire (hypersync.md
 * 8.1). Integers are big-endian; {@code name}, {@code target}, {@code xname} and {@code manifest}
 * are a u32 length and the bytes; {@code node} is 16 bytes; {@code chunk} is 32 bytes of hash and a
 * u32 length. Pinned by golden files.
 *
 * <pre>
 *  +----+----------------------------------------------------------------------+
 *  | u8 | fields                                                               |
 *  +----+----------------------------------------------------------------------+
 *  |  1 | CreateFile     parent node, name, mode u32, uid u32, gid u32         |
 *  |  2 | MakeDir        parent node, name, mode u32, uid u32, gid u32         |
 *  |  3 | MakeSymlink    parent node, name, target, uid u32, gid u32           |
 *  |  4 | MakeNode       parent node, name, type u8, mode, uid, gid, rdev u32  |
 *  |  5 | Link           node, new parent node, new name                       |
 *  |  6 | Unlink         parent node, name                                     |
 *  |  7 | RemoveDir      parent node, name                                     |
 *  |  8 | Rename         parent node, name, new parent node, new name, mode u8 |
 *  |  9 | Write          node, mode u8, kill u8, offset u64, count u32, chunk* |
 *  | 10 | Truncate       node, kill u8, size u64                               |
 *  | 11 | SetAttributes  node, mask u8, mode, uid, gid u32, mtime i64          |
 *  | 12 | SetXattr       node, xname, chunk, mode u8                           |
 *  | 13 | RemoveXattr    node, xname                                           |
 *  | 14 | ReapOrphans    count u32, node*                                      |
 *  | 15 | Allocate       node, mode u8, kill u8, offset u64, length u64        |
 *  | 16 | CopyRange      source node, offset u64, target node, offset u64,     |
 *  |    |                length u64, kill u8                                   |
 *  | 17 | MakeTemporary  parent node, mode u32, uid u32, gid u32               |
 *  | 18 | LinkTemporary  node, new parent node, new name                       |
 *  | 19 | RestoreState   manifest, count u32, open node*; with orphans         |
 *  | 20 | RestoreState   manifest, count u32, open node*                       |
 *  +----+----------------------------------------------------------------------+
 * </pre>
 *
 * <p>Decoding checks everything that can be checked without a state: names, ranges, flags. Every op
 * has exactly one encoding: bytes that decode are encoded again to the same bytes.
 */
public final class OpCodec {
  private static final int CHUNK_BYTES = 36;

  private OpCodec() {}

  /** Appends the canonical bytes of the op. */
  public static void encode(FsOp op, CanonicalWriter out) {
    switch (op) {
      case CreateFile(NodeId parent, Name name, int mode, int uid, int gid) ->
          out.u8(1).node(parent).bytes(name.bytes()).u32(mode).u32(uid).u32(gid);
      case MakeDir(NodeId parent, Name name, int mode, int uid, int gid) ->
          out.u8(2).node(parent).bytes(name.bytes()).u32(mode).u32(uid).u32(gid);
      case MakeSymlink(NodeId parent, Name name, byte[] target, int uid, int gid) ->
          out.u8(3).node(parent).bytes(name.bytes()).bytes(target).u32(uid).u32(gid);
      case MakeNode m ->
          out.u8(4)
              .node(m.parent())
              .bytes(m.name().bytes())
              .u8(m.type().code())
              .u32(m.mode())
              .u32(m.uid())
              .u32(m.gid())
              .u32(m.rdev());
      case Link(NodeId node, NodeId newParent, Name newName) ->
          out.u8(5).node(node).node(newParent).bytes(newName.bytes());
      case Unlink(NodeId parent, Name name) -> out.u8(6).node(parent).bytes(name.bytes());
      case RemoveDir(NodeId parent, Name name) -> out.u8(7).node(parent).bytes(name.bytes());
      case Rename r ->
          out.u8(8)
              .node(r.parent())
              .bytes(r.name().bytes())
              .node(r.newParent())
              .bytes(r.newName().bytes())
              .u8(code(r.mode()));
      case Write w -> {
        out.u8(9).node(w.node()).u8(code(w.mode())).u8(w.killPrivileges() ? 1 : 0);
        out.u64(w.offset()).u32(w.chunks().size());
        for (ChunkRef chunk : w.chunks()) {
          out.hash(chunk.hash()).u32(chunk.length());
        }
      }
      case Truncate(NodeId node, long size, boolean kill) ->
          out.u8(10).node(node).u8(kill ? 1 : 0).u64(size);
      case SetAttributes s ->
          out.u8(11)
              .node(s.node())
              .u8(s.mask())
              .u32(s.mode())
              .u32(s.uid())
              .u32(s.gid())
              .u64(s.mtimeNs());
      case SetXattr s ->
          out.u8(12)
              .node(s.node())
              .bytes(s.name())
              .hash(s.value().hash())
              .u32(s.value().length())
              .u8(code(s.mode()));
      case RemoveXattr(NodeId node, byte[] name) -> out.u8(13).node(node).bytes(name);
      case ReapOrphans(List<NodeId> nodes) -> {
        out.u8(14).u32(nodes.size());
        nodes.forEach(out::node);
      }
      case Allocate a ->
          out.u8(15)
              .node(a.node())
              .u8(code(a.mode()))
              .u8(a.killPrivileges() ? 1 : 0)
              .u64(a.offset())
              .u64(a.length());
      case CopyRange c ->
          out.u8(16)
              .node(c.source())
              .u64(c.sourceOffset())
              .node(c.target())
              .u64(c.targetOffset())
              .u64(c.length())
              .u8(c.killPrivileges() ? 1 : 0);
      case MakeTemporary(NodeId parent, int mode, int uid, int gid) ->
          out.u8(17).node(parent).u32(mode).u32(uid).u32(gid);
      case LinkTemporary(NodeId node, NodeId newParent, Name newName) ->
          out.u8(18).node(node).node(newParent).bytes(newName.bytes());
      case RestoreState(byte[] manifest, List<NodeId> open, boolean withOrphans) -> {
        out.u8(withOrphans ? 19 : 20).bytes(manifest).u32(open.size());
        open.forEach(out::node);
      }
    }
  }

  /** The canonical bytes of the op, in a new array. */
  public static byte[] encode(FsOp op) {
    CanonicalWriter out = new CanonicalWriter(128);
    encode(op, out);
    return out.toBytes();
  }

  /**
   * Decodes an array that holds exactly one op.
   *
   * @throws DecodeException if the bytes are not exactly what {@link #encode(FsOp)} would write
   */
  public static FsOp decode(byte[] bytes) throws DecodeException {
    CanonicalReader in = new CanonicalReader(bytes);
    FsOp op = decode(in);
    in.finish();
    return op;
  }

  /**
   * Decodes one op from the reader's position; bytes may follow it.
   *
   * @throws DecodeException if there is no valid op
   */
  public static FsOp decode(CanonicalReader in) throws DecodeException {
    try {
      return fields(in.u8(), in);
    } catch (IllegalArgumentException e) {
      throw new DecodeException("an impossible op: " + e.getMessage());
    }
  }

  private static FsOp fields(int code, CanonicalReader in) throws DecodeException {
    return switch (code) {
      case 1 -> new CreateFile(in.node(), name(in), in.u32(), in.u32(), in.u32());
      case 2 -> new MakeDir(in.node(), name(in), in.u32(), in.u32(), in.u32());
      case 3 ->
          new MakeSymlink(
              in.node(), name(in), in.bytes(MakeSymlink.MAX_TARGET_BYTES), in.u32(), in.u32());
      case 4 -> new MakeNode(in.node(), name(in), type(in), in.u32(), in.u32(), in.u32(), in.u32());
      case 5 -> new Link(in.node(), in.node(), name(in));
      case 6 -> new Unlink(in.node(), name(in));
      case 7 -> new RemoveDir(in.node(), name(in));
      case 8 -> new Rename(in.node(), name(in), in.node(), name(in), renameMode(in));
      case 9 -> write(in);
      case 10 -> {
        NodeId node = in.node();
        boolean kill = flag(in);
        yield new Truncate(node, in.size(), kill);
      }
      case 11 -> new SetAttributes(in.node(), in.u8(), in.u32(), in.u32(), in.u32(), in.u64());
      case 12 -> new SetXattr(in.node(), xattrName(in), chunk(in), xattrMode(in));
      case 13 -> new RemoveXattr(in.node(), xattrName(in));
      case 14 -> new ReapOrphans(nodes(in, ReapOrphans.MAX_NODES));
      case 15 -> {
        NodeId node = in.node();
        AllocateMode mode = allocateMode(in);
        boolean kill = flag(in);
        yield new Allocate(node, mode, in.size(), in.size(), kill);
      }
      case 16 -> new CopyRange(in.node(), in.size(), in.node(), in.size(), in.size(), flag(in));
      case 17 -> new MakeTemporary(in.node(), in.u32(), in.u32(), in.u32());
      case 18 -> new LinkTemporary(in.node(), in.node(), name(in));
      case 19, 20 ->
          new RestoreState(
              in.bytes(RestoreState.MAX_MANIFEST_BYTES),
              nodes(in, RestoreState.MAX_OPEN),
              code == 19);
      default -> throw new DecodeException("unknown op code " + code);
    };
  }

  private static List<NodeId> nodes(CanonicalReader in, int max) throws DecodeException {
    int count = in.count(max, NodeId.BYTES);
    List<NodeId> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(in.node());
    }
    return nodes;
  }

  private static Write write(CanonicalReader in) throws DecodeException {
    NodeId node = in.node();
    WriteMode mode = writeMode(in);
    boolean kill = flag(in);
    long offset = in.size();
    int count = in.count(Write.MAX_CHUNKS, CHUNK_BYTES);
    List<ChunkRef> chunks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      chunks.add(chunk(in));
    }
    return new Write(node, mode, offset, chunks, kill);
  }

  private static ChunkRef chunk(CanonicalReader in) throws DecodeException {
    return new ChunkRef(in.hash(), in.u32());
  }

  private static Name name(CanonicalReader in) throws DecodeException {
    return Name.of(in.bytes(Name.MAX_BYTES));
  }

  private static NodeType type(CanonicalReader in) throws DecodeException {
    int code = in.u8();
    NodeType type = NodeType.ofCode(code);
    if (type == null) {
      throw new DecodeException("unknown node type " + code);
    }
    return type;
  }

  private static boolean flag(CanonicalReader in) throws DecodeException {
    int flag = in.u8();
    if (flag > 1) {
      throw new DecodeException("a flag of " + flag);
    }
    return flag == 1;
  }

  private static WriteMode writeMode(CanonicalReader in) throws DecodeException {
    int code = in.u8();
    return switch (code) {
      case 0 -> WriteMode.PWRITE;
      case 1 -> WriteMode.APPEND;
      default -> throw new DecodeException("unknown write mode " + code);
    };
  }

  private static RenameMode renameMode(CanonicalReader in) throws DecodeException {
    int code = in.u8();
    return switch (code) {
      case 0 -> RenameMode.REPLACE;
      case 1 -> RenameMode.NO_REPLACE;
      case 2 -> RenameMode.EXCHANGE;
      default -> throw new DecodeException("unknown rename mode " + code);
    };
  }

  private static byte[] xattrName(CanonicalReader in) throws DecodeException {
    return in.bytes(SetXattr.MAX_NAME_BYTES);
  }

  private static XattrMode xattrMode(CanonicalReader in) throws DecodeException {
    int code = in.u8();
    return switch (code) {
      case 0 -> XattrMode.SET;
      case 1 -> XattrMode.CREATE;
      case 2 -> XattrMode.REPLACE;
      default -> throw new DecodeException("unknown setxattr mode " + code);
    };
  }

  private static AllocateMode allocateMode(CanonicalReader in) throws DecodeException {
    int code = in.u8();
    return switch (code) {
      case 0 -> AllocateMode.EXTEND;
      case 1 -> AllocateMode.KEEP_SIZE;
      case 2 -> AllocateMode.PUNCH_HOLE;
      case 3 -> AllocateMode.ZERO_RANGE;
      case 4 -> AllocateMode.ZERO_RANGE_KEEP_SIZE;
      default -> throw new DecodeException("unknown fallocate mode " + code);
    };
  }

  private static int code(AllocateMode mode) {
    return switch (mode) {
      case EXTEND -> 0;
      case KEEP_SIZE -> 1;
      case PUNCH_HOLE -> 2;
      case ZERO_RANGE -> 3;
      case ZERO_RANGE_KEEP_SIZE -> 4;
    };
  }

  private static int code(WriteMode mode) {
    return switch (mode) {
      case PWRITE -> 0;
      case APPEND -> 1;
    };
  }

  private static int code(RenameMode mode) {
    return switch (mode) {
      case REPLACE -> 0;
      case NO_REPLACE -> 1;
      case EXCHANGE -> 2;
    };
  }

  private static int code(XattrMode mode) {
    return switch (mode) {
      case SET -> 0;
      case CREATE -> 1;
      case REPLACE -> 2;
    };
  }
}

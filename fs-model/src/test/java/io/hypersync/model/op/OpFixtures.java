package io.hypersync.model.op;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp.SetAttributes;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The ops whose encodings are the lines of {@code golden/ops-v1.txt}. */
final class OpFixtures {
  private static final NodeId ROOT = new NodeId(0, 1);
  private static final NodeId DIR = new NodeId(0x1111111111111111L, 0x2222222222222222L);
  private static final NodeId FILE = new NodeId(Long.MIN_VALUE, 0xff);

  private OpFixtures() {}

  /** Every op in every mode, by the name of its line. */
  static Map<String, FsOp> all() {
    Map<String, FsOp> ops = new LinkedHashMap<>();
    namespace(ops);
    rename(ops);
    content(ops);
    attributes(ops);
    ops.put("reap-orphans", new FsOp.ReapOrphans(List.of(FILE, DIR)));
    ops.put("reap-no-orphans", new FsOp.ReapOrphans(List.of()));
    ranges(ops);
    ops.put("make-temporary", new FsOp.MakeTemporary(DIR, 0600, 1000, -1));
    ops.put("link-temporary", new FsOp.LinkTemporary(FILE, DIR, Name.of("a")));
    ops.put("restore-state", new FsOp.RestoreState(ascii("HSMANIFE"), List.of(FILE, DIR), true));
    ops.put("restore-state-of-nobody", new FsOp.RestoreState(new byte[] {0}, List.of(), true));
    ops.put("restore-named", new FsOp.RestoreState(ascii("HSMANIFE"), List.of(FILE, DIR)));
    return ops;
  }

  private static void ranges(Map<String, FsOp> ops) {
    ops.put("allocate", new FsOp.Allocate(FILE, AllocateMode.EXTEND, 4096, 1, false));
    ops.put(
        "allocate-keep-size",
        new FsOp.Allocate(FILE, AllocateMode.KEEP_SIZE, 0, Long.MAX_VALUE, true));
    ops.put(
        "allocate-punch-hole",
        new FsOp.Allocate(FILE, AllocateMode.PUNCH_HOLE, Long.MAX_VALUE, 65536, false));
    ops.put("allocate-zero-range", new FsOp.Allocate(FILE, AllocateMode.ZERO_RANGE, 1, 2, true));
    ops.put(
        "allocate-zero-range-keep-size",
        new FsOp.Allocate(FILE, AllocateMode.ZERO_RANGE_KEEP_SIZE, 0, 1L << 40, false));
    ops.put("copy-range", new FsOp.CopyRange(FILE, 4096, DIR, 1L << 62, 1L << 30, true));
  }

  private static void namespace(Map<String, FsOp> ops) {
    ops.put("create-file", new FsOp.CreateFile(ROOT, Name.of("a.txt"), 0644, 1000, 100));
    ops.put("make-dir", new FsOp.MakeDir(DIR, Name.of("sub"), 02775, 1000, -1));
    ops.put("make-symlink", new FsOp.MakeSymlink(ROOT, Name.of("link"), ascii("../x//y"), 0, 0));
    ops.put(
        "make-node",
        new FsOp.MakeNode(ROOT, Name.of("null"), NodeType.CHARACTER_DEVICE, 0666, 0, 5, 0x0103));
    Name latin1 = Name.of(new byte[] {'c', 'a', 'f', (byte) 0xe9});
    ops.put("link", new FsOp.Link(FILE, DIR, latin1));
    ops.put("unlink", new FsOp.Unlink(DIR, Name.of("...")));
    ops.put("remove-dir", new FsOp.RemoveDir(ROOT, Name.of("d".repeat(255))));
  }

  private static void rename(Map<String, FsOp> ops) {
    Name a = Name.of("a");
    Name b = Name.of("b");
    ops.put(
        "rename", new FsOp.Rename(ROOT, Name.of("old"), DIR, Name.of("new"), RenameMode.REPLACE));
    ops.put("rename-no-replace", new FsOp.Rename(DIR, a, DIR, b, RenameMode.NO_REPLACE));
    ops.put("rename-exchange", new FsOp.Rename(DIR, a, ROOT, b, RenameMode.EXCHANGE));
  }

  private static void content(Map<String, FsOp> ops) {
    List<ChunkRef> two = List.of(chunk(0, 65536), chunk(0xe0, 1));
    ops.put("write", new FsOp.Write(FILE, WriteMode.PWRITE, 65536, two, false));
    List<ChunkRef> one = List.of(chunk(7, 4096));
    ops.put("write-append", new FsOp.Write(FILE, WriteMode.APPEND, Long.MAX_VALUE, one, true));
    ops.put("truncate", new FsOp.Truncate(FILE, 1L << 40, true));
  }

  private static void attributes(Map<String, FsOp> ops) {
    ops.put("set-attributes", new SetAttributes(FILE, SetAttributes.ALL, 04755, 1, 2, -1));
    byte[] name = ascii("user.a");
    ops.put("set-xattr", new FsOp.SetXattr(FILE, name, chunk(0x40, 5), XattrMode.SET));
    ops.put(
        "set-xattr-empty",
        new FsOp.SetXattr(FILE, ascii("user.b"), ChunkRef.EMPTY, XattrMode.CREATE));
    ops.put(
        "set-xattr-replace", new FsOp.SetXattr(DIR, name, chunk(0x41, 65536), XattrMode.REPLACE));
    ops.put("remove-xattr", new FsOp.RemoveXattr(FILE, name));
  }

  /** A reference whose hash is 32 ascending bytes, from {@code first} on. */
  private static ChunkRef chunk(int first, int length) {
    byte[] hash = new byte[Hash.BYTES];
    for (int i = 0; i < hash.length; i++) {
      hash[i] = (byte) (first + i);
    }
    return new ChunkRef(Hash.read(hash, 0), length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

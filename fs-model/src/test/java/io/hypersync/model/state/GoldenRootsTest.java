package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.codec.GoldenFile;
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
import io.hypersync.model.trie.RootVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A fixed history and its roots, pinned (hypersync.md 8.1, 22.2). Existing logs contain such roots:
 * if this test fails, every existing log would be reported as corrupt.
 */
class GoldenRootsTest {
  private static final NodeId DIR = new NodeId(0x1122334455667788L, 0x99aabbccddeeff00L);
  private static final NodeId FILE = new NodeId(0x8000000000000000L, 3);
  private static final NodeId LINK = new NodeId(0x7fffffffffffffffL, 4);
  private static final NodeId SUB = new NodeId(0x1122334455667788L, 0x99aabbccddeeff01L);

  @ParameterizedTest
  @EnumSource
  void theRootsAreTheFrozenOnes(RootVersion version) {
    Map<String, String> actual = new LinkedHashMap<>();
    Map<String, FsState> states = new HashMap<>();
    FsState state = FsState.genesis(version);
    actual.put("genesis", state.root().toString());
    long time = 1_764_000_000_000_000_000L;
    for (Map.Entry<String, Step> line : history().entrySet()) {
      Stamp stamp = new Stamp(time++, line.getValue().created);
      FsOp op = FsStateMachine.resolve(state, line.getValue().op);
      Outcome outcome =
          FsStateMachine.apply(
              state,
              op,
              stamp,
              manifest -> states.get(new String(manifest, StandardCharsets.US_ASCII)));
      state = ((Outcome.Applied) outcome).state();
      states.put(line.getKey(), state);
      actual.put(line.getKey(), state.root().toString());
    }
    Map<String, String> frozen = new LinkedHashMap<>();
    GoldenFile.read("roots-v" + version.code() + ".txt")
        .forEach((name, root) -> frozen.put(name, Hash.read(root, 0).toString()));
    assertEquals(lines(frozen), lines(actual));
  }

  private record Step(FsOp op, NodeId created) {}

  private static Map<String, Step> history() {
    NodeId none = new NodeId(0, 0);
    Map<String, Step> steps = new LinkedHashMap<>();
    Name name = Name.of("name");
    Name long255 = Name.of("n".repeat(255));
    steps.put("mkdir", new Step(new FsOp.MakeDir(FsState.ROOT, name, 02755, 1000, 100), DIR));
    steps.put("create", new Step(new FsOp.CreateFile(DIR, name, 04755, 0, -1), FILE));
    steps.put("symlink", new Step(new FsOp.MakeSymlink(DIR, long255, ascii("../x"), 1, 2), LINK));
    steps.put(
        "mknod",
        new Step(
            new FsOp.MakeNode(FsState.ROOT, Name.of("z"), NodeType.BLOCK_DEVICE, 0600, 0, 6, 2049),
            new NodeId(5, 5)));
    steps.put("link", new Step(new FsOp.Link(FILE, FsState.ROOT, Name.of("na")), none));
    ChunkRef a = chunk(1, 65536);
    ChunkRef b = chunk(2, 100);
    steps.put("write", new Step(write(WriteMode.PWRITE, 0, a, b, a), none));
    steps.put("overwrite", new Step(write(WriteMode.PWRITE, 1000, b), none));
    steps.put("append", new Step(write(WriteMode.APPEND, 0, b), none));
    steps.put("truncate-shorter", new Step(new FsOp.Truncate(FILE, 70_000, true), none));
    steps.put("truncate-longer", new Step(new FsOp.Truncate(FILE, 1L << 50, false), none));
    steps.put(
        "set-attributes",
        new Step(new SetAttributes(DIR, SetAttributes.ALL, 01777, 7, 8, -1), none));
    byte[] x = ascii("user.x");
    steps.put("set-xattr", new Step(new FsOp.SetXattr(FILE, x, b, XattrMode.SET), none));
    steps.put(
        "set-empty-xattr",
        new Step(new FsOp.SetXattr(FILE, ascii("user.y"), ChunkRef.EMPTY, XattrMode.CREATE), none));
    steps.put("remove-xattr", new Step(new FsOp.RemoveXattr(FILE, x), none));
    steps.put("mkdir-below", new Step(new FsOp.MakeDir(DIR, Name.of("s"), 0, 0, 0), SUB));
    steps.put(
        "rename",
        new Step(
            new FsOp.Rename(DIR, Name.of("s"), FsState.ROOT, Name.of("t"), RenameMode.NO_REPLACE),
            none));
    steps.put(
        "exchange",
        new Step(
            new FsOp.Rename(FsState.ROOT, Name.of("t"), DIR, name, RenameMode.EXCHANGE), none));
    steps.put("unlink", new Step(new FsOp.Unlink(FsState.ROOT, Name.of("t")), none));
    steps.put("unlink-last", new Step(new FsOp.Unlink(FsState.ROOT, Name.of("na")), none));
    steps.put("rmdir", new Step(new FsOp.RemoveDir(DIR, name), none));
    steps.put("reap", new Step(new FsOp.ReapOrphans(List.of(FILE, SUB)), none));
    ranges(steps);
    return steps;
  }

  private static void ranges(Map<String, Step> steps) {
    NodeId none = new NodeId(0, 0);
    NodeId copy = new NodeId(9, 9);
    FsOp make = new FsOp.MakeTemporary(FsState.ROOT, 0640, 1000, 100);
    steps.put("make-temporary", new Step(make, FILE));
    steps.put(
        "link-temporary", new Step(new FsOp.LinkTemporary(FILE, FsState.ROOT, Name.of("u")), none));
    steps.put(
        "write-again", new Step(write(WriteMode.PWRITE, 10, chunk(3, 65536), chunk(4, 9)), none));
    steps.put(
        "allocate",
        new Step(new FsOp.Allocate(FILE, AllocateMode.EXTEND, 0, 100_000, false), none));
    steps.put(
        "punch-hole",
        new Step(new FsOp.Allocate(FILE, AllocateMode.PUNCH_HOLE, 1_000, 500, true), none));
    steps.put("create-copy", new Step(new FsOp.MakeTemporary(FsState.ROOT, 0600, 0, 0), copy));
    steps.put(
        "copy-range", new Step(new FsOp.CopyRange(FILE, 500, copy, 7, 1L << 30, false), none));
    // The device is open, and gets a new ctime; the copy had no name before.
    steps.put(
        "restore",
        new Step(new FsOp.RestoreState(ascii("symlink"), List.of(new NodeId(5, 5))), none));
  }

  private static String lines(Map<String, String> roots) {
    List<String> lines = new ArrayList<>();
    roots.forEach((name, root) -> lines.add(name + " " + root));
    return String.join("\n", lines);
  }

  private static FsOp write(WriteMode mode, long offset, ChunkRef... chunks) {
    return new FsOp.Write(FILE, mode, offset, List.of(chunks), false);
  }

  private static ChunkRef chunk(long word, int length) {
    return new ChunkRef(new Hash(word, word, word, word), length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

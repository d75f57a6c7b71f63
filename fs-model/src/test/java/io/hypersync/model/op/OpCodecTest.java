package io.hypersync.model.op;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.codec.GoldenFile;
import io.hypersync.model.codec.HostileBytes;
import io.hypersync.model.codec.RecordText;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OpCodecTest {
  private static final Map<String, byte[]> GOLDEN = GoldenFile.read("ops-v1.txt");
  private static final NodeId NODE = new NodeId(1, 2);
  private static final Hash HASH = new Hash(1, 2, 3, 4);

  static Stream<Arguments> fixtures() {
    return OpFixtures.all().entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
  }

  @Test
  void everyOpHasAGoldenLineAndEveryLineAnOp() {
    assertEquals(OpFixtures.all().keySet(), GOLDEN.keySet());
    TreeSet<Integer> codes = new TreeSet<>();
    GOLDEN.values().forEach(bytes -> codes.add((int) bytes[0]));
    int ops = FsOp.class.getPermittedSubclasses().length;
    assertEquals(ops + 1, codes.size(), "RestoreState has two; op codes covered: " + codes);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("fixtures")
  void encodesToTheFrozenBytes(String name, FsOp op) {
    assertEquals(hex(GOLDEN.get(name)), hex(OpCodec.encode(op)), name);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("fixtures")
  void decodesTheFrozenBytes(String name, FsOp op) throws DecodeException {
    assertEquals(RecordText.of(op), RecordText.of(OpCodec.decode(GOLDEN.get(name))), name);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("fixtures")
  void refusesFewerBytesAndMore(String name, FsOp op) {
    byte[] bytes = OpCodec.encode(op);
    HostileBytes.assertEveryTruncationIsRefused(name, bytes, OpCodecTest::recode);
    HostileBytes.assertTrailingByteIsRefused(name, bytes, OpCodecTest::recode);
  }

  @Test
  void mutatedBytesAreRefusedOrCanonical() {
    HostileBytes.assertMutationsAreHarmless(42, 200_000, GOLDEN.values(), OpCodecTest::recode);
  }

  static Stream<Arguments> refused() {
    byte[] longName = new byte[256];
    Arrays.fill(longName, (byte) 'x');
    byte[] longTarget = new byte[4096];
    Arrays.fill(longTarget, (byte) 'x');
    return Stream.of(
        Arguments.of("nothing at all", new CanonicalWriter(0)),
        Arguments.of("op code 0", op(0).node(NODE)),
        Arguments.of("op code 20", op(20).node(NODE)),
        Arguments.of("op code 255", op(255).node(NODE)),
        Arguments.of("an empty name", unlink("")),
        Arguments.of("the name .", unlink(".")),
        Arguments.of("the name ..", unlink("..")),
        Arguments.of("a name with NUL", unlink("a\0b")),
        Arguments.of("a name with /", unlink("a/b")),
        Arguments.of("a name of 256 bytes", op(6).node(NODE).bytes(longName)),
        Arguments.of("a name whose length is 2^32-1", op(6).node(NODE).u32(-1).raw(longName)),
        Arguments.of("a mode with type bits", createFile(0100644)),
        Arguments.of("a mode past 32 bits signed", createFile(0x80000000)),
        Arguments.of("an empty symlink target", symlink(new byte[0])),
        Arguments.of("a symlink target with NUL", symlink(new byte[] {'a', 0})),
        Arguments.of("a symlink target of 4096 bytes", symlink(longTarget)),
        Arguments.of("mknod of type 0", mknod(0)),
        Arguments.of("mknod of a directory", mknod(2)),
        Arguments.of("mknod of a symlink", mknod(3)),
        Arguments.of("mknod of type 8", mknod(8)),
        Arguments.of("rename mode 3", rename(3)),
        Arguments.of("write mode 2", write(2, 0, 0, 1).hash(HASH).u32(1)),
        Arguments.of("a kill flag of 2", write(0, 2, 0, 1).hash(HASH).u32(1)),
        Arguments.of("a write at 2^63", write(0, 0, Long.MIN_VALUE, 1).hash(HASH).u32(1)),
        Arguments.of("a write of no chunks", write(0, 0, 0, 0)),
        Arguments.of("a write of an empty chunk", write(0, 0, 0, 1).hash(HASH).u32(0)),
        Arguments.of("the empty chunk in a write", empty(write(0, 0, 0, 1))),
        Arguments.of("a chunk over 64 KiB", write(0, 0, 0, 1).hash(HASH).u32(65537)),
        Arguments.of("a chunk length past 2^31", write(0, 0, 0, 1).hash(HASH).u32(-1)),
        Arguments.of("a write of 4097 chunks", chunks(write(0, 0, 0, 4097), 4097)),
        Arguments.of("more chunks than bytes", write(0, 0, 0, 4096).hash(HASH).u32(1)),
        Arguments.of("a chunk count past 2^31", write(0, 0, 0, -1).hash(HASH).u32(1)),
        Arguments.of("a size of 2^63", op(10).node(NODE).u8(0).u64(Long.MIN_VALUE)),
        Arguments.of("a truncate flag of 255", op(10).node(NODE).u8(255).u64(0)),
        Arguments.of("attribute bit 64", attributes(64, 0)),
        Arguments.of("attribute mode with type bits", attributes(1, 0100644)),
        Arguments.of("an empty xattr name", setXattr("").hash(HASH).u32(1).u8(0)),
        Arguments.of("an xattr name with NUL", setXattr("user.\0").hash(HASH).u32(1).u8(0)),
        Arguments.of("an xattr name of 256", setXattr("x".repeat(256)).hash(HASH).u32(1).u8(0)),
        Arguments.of("an xattr value over 64 KiB", setXattr("user.a").hash(HASH).u32(65537).u8(0)),
        Arguments.of("an empty value, hash of some", setXattr("user.a").hash(HASH).u32(0).u8(0)),
        Arguments.of("setxattr mode 3", setXattr("user.a").hash(HASH).u32(1).u8(3)),
        Arguments.of("removexattr of no name", op(13).node(NODE).u32(0)),
        Arguments.of("removexattr of NUL", op(13).node(NODE).u32(1).u8(0)),
        Arguments.of("more orphans than bytes", op(14).u32(2).node(NODE)),
        Arguments.of("2^16+1 orphans", op(14).u32(65537).raw(new byte[65537 * 16])),
        Arguments.of("fallocate mode 5", op(15).node(NODE).u8(5).u8(0).u64(0).u64(1)),
        Arguments.of("a fallocate flag of 2", op(15).node(NODE).u8(0).u8(2).u64(0).u64(1)),
        Arguments.of("fallocate of nothing", op(15).node(NODE).u8(0).u8(0).u64(0).u64(0)),
        Arguments.of("fallocate at 2^63", op(15).node(NODE).u8(0).u8(0).u64(1L << 63).u64(1)),
        Arguments.of("fallocate of 2^63", op(15).node(NODE).u8(0).u8(0).u64(0).u64(1L << 63)),
        Arguments.of("a copy of nothing", copy(0, 0, 0, 0)),
        Arguments.of("a copy of 1 GiB and a byte", copy(0, 0, (1 << 30) + 1, 0)),
        Arguments.of("a copy from 2^63", copy(1L << 63, 0, 1, 0)),
        Arguments.of("a copy to 2^63", copy(0, 1L << 63, 1, 0)),
        Arguments.of("a copy flag of 2", copy(0, 0, 1, 2)),
        Arguments.of("O_TMPFILE with type bits", op(17).node(NODE).u32(0100644).u32(0).u32(0)),
        Arguments.of("a first name of nothing", op(18).node(NODE).node(NODE).u32(0)),
        Arguments.of("a manifest of nothing", op(19).u32(0).u32(0)),
        Arguments.of("a manifest of 2^16+1", op(19).bytes(new byte[65537]).u32(0)),
        Arguments.of("a manifest longer than the op", op(19).u32(9).u32(0)),
        Arguments.of("more open nodes than bytes", op(19).u32(1).u8(0).u32(2).node(NODE)),
        Arguments.of(
            "2^16+1 open nodes", op(19).u32(1).u8(0).u32(65537).raw(new byte[65537 * 16])));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void refuses(String what, CanonicalWriter bytes) {
    assertThrows(DecodeException.class, () -> OpCodec.decode(bytes.toBytes()), what);
  }

  @Test
  void acceptsTheLargestOfEverything() {
    byte[] name = new byte[255];
    Arrays.fill(name, (byte) 'x');
    byte[] target = new byte[4095];
    Arrays.fill(target, (byte) '/');
    ChunkRef chunk = new ChunkRef(HASH, ChunkRef.MAX_LENGTH);
    for (FsOp op :
        List.of(
            new FsOp.Unlink(NODE, Name.of(name)),
            new FsOp.MakeSymlink(NODE, Name.of(name), target, -1, -1),
            new FsOp.Write(
                NODE, WriteMode.PWRITE, Long.MAX_VALUE, Collections.nCopies(4096, chunk), true),
            new FsOp.Truncate(NODE, Long.MAX_VALUE, false),
            new FsOp.SetXattr(NODE, name, chunk, XattrMode.SET),
            new FsOp.ReapOrphans(Collections.nCopies(1 << 16, NODE)),
            new FsOp.RestoreState(new byte[1 << 16], Collections.nCopies(1 << 16, NODE)),
            new FsOp.Allocate(NODE, AllocateMode.EXTEND, Long.MAX_VALUE, Long.MAX_VALUE, false),
            new FsOp.CopyRange(NODE, Long.MAX_VALUE, NODE, Long.MAX_VALUE, 1 << 30, true))) {
      byte[] bytes = OpCodec.encode(op);
      Executable check = () -> assertEquals(hex(bytes), hex(recode(bytes)));
      assertAll(op.getClass().getSimpleName(), check);
    }
  }

  @Test
  void onlyOpsThatCanBeDecodedAgainCanBeMade() {
    List<ChunkRef> none = List.of();
    List<ChunkRef> tooMany = Collections.nCopies(4097, new ChunkRef(HASH, 1));
    Name name = Name.of("a");
    byte[] text = {'a'};
    List<Executable> impossible =
        List.of(
            () -> new FsOp.CreateFile(NODE, name, 0100644, 0, 0),
            () -> new FsOp.MakeDir(NODE, name, 040755, 0, 0),
            () -> new FsOp.MakeNode(NODE, name, NodeType.DIRECTORY, 0755, 0, 0, 0),
            () -> new FsOp.MakeNode(NODE, name, NodeType.SYMLINK, 0777, 0, 0, 0),
            () -> new FsOp.MakeNode(NODE, name, NodeType.FIFO, 010644, 0, 0, 0),
            () -> new FsOp.MakeSymlink(NODE, name, new byte[0], 0, 0),
            () -> new FsOp.Write(NODE, WriteMode.PWRITE, -1, tooMany.subList(0, 1), false),
            () -> new FsOp.Write(NODE, WriteMode.PWRITE, 0, none, false),
            () -> new FsOp.Write(NODE, WriteMode.PWRITE, 0, tooMany, false),
            () -> new FsOp.Write(NODE, WriteMode.PWRITE, 0, List.of(ChunkRef.EMPTY), false),
            () -> new FsOp.Truncate(NODE, -1, false),
            () -> new FsOp.SetAttributes(NODE, 64, 0, 0, 0, 0),
            () -> new FsOp.SetAttributes(NODE, 0, 010000, 0, 0, 0),
            () -> new FsOp.SetXattr(NODE, new byte[256], ChunkRef.EMPTY, XattrMode.SET),
            () -> new FsOp.RemoveXattr(NODE, new byte[0]),
            () -> new FsOp.ReapOrphans(Collections.nCopies((1 << 16) + 1, NODE)),
            () -> new FsOp.RestoreState(new byte[0], List.of()),
            () -> new FsOp.RestoreState(new byte[(1 << 16) + 1], List.of()),
            () -> new FsOp.RestoreState(text, Collections.nCopies((1 << 16) + 1, NODE)),
            () -> new FsOp.Allocate(NODE, AllocateMode.EXTEND, -1, 1, false),
            () -> new FsOp.Allocate(NODE, AllocateMode.EXTEND, 0, 0, false),
            () -> new FsOp.CopyRange(NODE, -1, NODE, 0, 1, false),
            () -> new FsOp.CopyRange(NODE, 0, NODE, -1, 1, false),
            () -> new FsOp.CopyRange(NODE, 0, NODE, 0, 0, false),
            () -> new FsOp.CopyRange(NODE, 0, NODE, 0, (1 << 30) + 1, false),
            () -> new FsOp.MakeTemporary(NODE, 0100600, 0, 0),
            () -> new ChunkRef(HASH, -1),
            () -> new ChunkRef(HASH, 65537),
            () -> new FsOp.SetXattr(NODE, text, new ChunkRef(HASH, 0), XattrMode.SET));
    for (int i = 0; i < impossible.size(); i++) {
      assertThrows(IllegalArgumentException.class, impossible.get(i), "row " + i);
    }
  }

  @Test
  void aRestoreIsWhatItsBytesAreAndKeepsThem() {
    byte[] manifest = {1, 2};
    FsOp.RestoreState restore = new FsOp.RestoreState(manifest, List.of(NODE));
    manifest[0] = 9;
    FsOp.RestoreState same = new FsOp.RestoreState(new byte[] {1, 2}, List.of(NODE));
    assertEquals(same, restore);
    assertEquals(same.hashCode(), restore.hashCode());
    assertNotEquals(new FsOp.RestoreState(manifest, List.of(NODE)), restore);
    assertNotEquals(new FsOp.RestoreState(same.manifest(), List.of()), restore);
  }

  @Test
  void anOpBringsItsChunksAlongButNoEmptyOne() {
    ChunkRef one = new ChunkRef(HASH, 1);
    ChunkRef two = new ChunkRef(HASH, 2);
    byte[] name = "user.a".getBytes(StandardCharsets.US_ASCII);
    assertEquals(
        List.of(one, two, one),
        new FsOp.Write(NODE, WriteMode.PWRITE, 0, List.of(one, two, one), false).chunks());
    assertEquals(List.of(one), new FsOp.SetXattr(NODE, name, one, XattrMode.SET).chunks());
    assertEquals(List.of(), new FsOp.SetXattr(NODE, name, ChunkRef.EMPTY, XattrMode.SET).chunks());
    assertEquals(List.of(), new FsOp.Truncate(NODE, 1, false).chunks());
  }

  private static byte[] recode(byte[] bytes) throws DecodeException {
    return OpCodec.encode(OpCodec.decode(bytes));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static CanonicalWriter op(int code) {
    return new CanonicalWriter(64).u8(code);
  }

  private static CanonicalWriter unlink(String name) {
    return op(6).node(NODE).text(name);
  }

  private static CanonicalWriter createFile(int mode) {
    return op(1).node(NODE).text("a").u32(mode).u32(0).u32(0);
  }

  private static CanonicalWriter symlink(byte[] target) {
    return op(3).node(NODE).text("a").bytes(target).u32(0).u32(0);
  }

  private static CanonicalWriter mknod(int type) {
    return op(4).node(NODE).text("a").u8(type).u32(0644).u32(0).u32(0).u32(0);
  }

  private static CanonicalWriter rename(int mode) {
    return op(8).node(NODE).text("a").node(NODE).text("b").u8(mode);
  }

  private static CanonicalWriter write(int mode, int kill, long offset, int count) {
    return op(9).node(NODE).u8(mode).u8(kill).u64(offset).u32(count);
  }

  private static CanonicalWriter empty(CanonicalWriter out) {
    return out.hash(ChunkRef.EMPTY.hash()).u32(0);
  }

  private static CanonicalWriter chunks(CanonicalWriter out, int count) {
    for (int i = 0; i < count; i++) {
      out.hash(HASH).u32(1);
    }
    return out;
  }

  private static CanonicalWriter attributes(int mask, int mode) {
    return op(11).node(NODE).u8(mask).u32(mode).u32(0).u32(0).u64(0);
  }

  private static CanonicalWriter copy(long from, long to, long length, int kill) {
    return op(16).node(NODE).u64(from).node(NODE).u64(to).u64(length).u8(kill);
  }

  private static CanonicalWriter setXattr(String name) {
    return op(12).node(NODE).text(name);
  }
}

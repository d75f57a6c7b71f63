package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.GoldenFile;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.codec.digest.Blake3;
import org.junit.jupiter.api.Test;

/** Pins the bytes that are hashed into roots (hypersync.md 8.1.1). */
class LeafFormTest {
  private static final NodeId ID = new NodeId(0x0011223344556677L, 0x8899aabbccddeeffL);

  @Test
  void leavesHaveTheFrozenForms() {
    Map<String, String> expected = new LinkedHashMap<>();
    GoldenFile.read("leaves-v1.txt").forEach((name, bytes) -> expected.put(name, hex(bytes)));
    Map<String, String> actual = new LinkedHashMap<>();
    forms().forEach((name, out) -> actual.put(name, hex(out.toBytes())));
    assertEquals(expected, actual);
  }

  /** Compared with another implementation of BLAKE3. */
  @Test
  void aLeafIsHashedWithItsDomainBehindIt() {
    Extent extent = new Extent(1, 2, ascending(3), 4);
    CanonicalWriter out = new CanonicalWriter(64);
    extent.encode(out, RootVersion.LATEST);
    assertArrayEquals(Blake3.hash(out.u8(0).toBytes()), extent.hash(RootVersion.LATEST).toBytes());
  }

  @Test
  void theRootCoversTheNextInodeNumberAndTheVersion() {
    for (RootVersion version : RootVersion.values()) {
      FsState genesis = FsState.genesis(version);
      int domain = version == RootVersion.V1 ? 2 : 3;
      byte[] hashed =
          new CanonicalWriter(41).hash(genesis.nodes().root(version)).u64(2).u8(domain).toBytes();
      assertArrayEquals(Blake3.hash(hashed), genesis.root().toBytes(), version::toString);
    }
  }

  @Test
  void contentsHaveTheirRoots() {
    byte[] target = "../x".getBytes(StandardCharsets.US_ASCII);
    assertArrayEquals(
        Blake3.hash(target), new NodeContent.Symlink(target).root(RootVersion.LATEST).toBytes());
    assertEquals(Hash.ZERO, new NodeContent.Special().root(RootVersion.LATEST));
    MerkleTrie<DirEntry> entries =
        MerkleTrie.<DirEntry>empty().with(new DirEntry(Name.of("a"), ID, NodeType.FILE));
    assertEquals(
        entries.root(RootVersion.LATEST),
        new NodeContent.Directory(ID, entries).root(RootVersion.LATEST));
    MerkleTrie<Extent> extents = MerkleTrie.<Extent>empty().with(new Extent(0, 1, ascending(0), 0));
    assertEquals(
        extents.root(RootVersion.LATEST), new FileContent(extents, 1).root(RootVersion.LATEST));
  }

  private static Map<String, CanonicalWriter> forms() {
    NodeContent file = FileContent.EMPTY;
    NodeAttributes numbers = new NodeAttributes(04755, 1000, -1, 3, 1L << 62, -1, 5, 6, 0);
    Map<String, CanonicalWriter> forms = new LinkedHashMap<>();
    Node node = node(1L << 40, NodeType.FILE, numbers, file);
    node.encode(put(forms, "node-file"), RootVersion.LATEST);
    NodeContent root = new NodeContent.Directory(FsState.ROOT, MerkleTrie.empty());
    node(7, NodeType.DIRECTORY, new NodeAttributes(01777, 0, 0, 2, 0, 1, 2, 3, 0), root)
        .encode(put(forms, "node-directory"), RootVersion.LATEST);
    NodeAttributes device = new NodeAttributes(0660, 0, 6, 1, 0, 1, 2, 3, 2049);
    node(8, NodeType.BLOCK_DEVICE, device, new NodeContent.Special())
        .encode(put(forms, "node-device"), RootVersion.LATEST);
    Name latin1 = Name.of(new byte[] {'c', 'a', 'f', (byte) 0xe9});
    new DirEntry(latin1, ID, NodeType.DIRECTORY).encode(put(forms, "entry"), RootVersion.LATEST);
    new Extent(0x0001020304050607L, 0x10000, ascending(0x20), 0xfffe)
        .encode(put(forms, "extent"), RootVersion.LATEST);
    byte[] name = "user.a".getBytes(StandardCharsets.US_ASCII);
    new Xattr(name, new ChunkRef(ascending(0x40), 5))
        .encode(put(forms, "xattr"), RootVersion.LATEST);
    return forms;
  }

  private static Node node(
      long inode, NodeType type, NodeAttributes attributes, NodeContent content) {
    return new Node(ID, inode, type, attributes, content, MerkleTrie.empty());
  }

  private static CanonicalWriter put(Map<String, CanonicalWriter> forms, String name) {
    CanonicalWriter out = new CanonicalWriter(192);
    forms.put(name, out);
    return out;
  }

  private static Hash ascending(int first) {
    byte[] bytes = new byte[Hash.BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (first + i);
    }
    return Hash.read(bytes, 0);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}

package io.hypersync.leader.scrub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.leader.scrub.LostFiles.LostFile;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LostFilesTest {
  private FsState state = FsState.genesis();
  private long index;

  @Test
  void whoNeedsALostChunkIsNamedByPathAndInode() {
    NodeId sub = directory(directory(FsState.ROOT, "dir"), "sub");
    Hash lost = file(sub, "a\u001bb", "lost");
    long inode = inode(new NodeId(9, index - 1));
    file(sub, "other", "there");
    assertEquals(
        List.of(new LostFile("/dir/sub/a\\x1bb", inode)),
        LostFiles.of(state, Set.of(lost), LostFilesTest::goOn));
    assertEquals(List.of(), LostFiles.of(state, Set.of(), LostFilesTest::goOn));
    assertEquals(List.of(), LostFiles.of(state, Set.of(Hash.ZERO), LostFilesTest::goOn));
  }

  @Test
  void aFileWithoutANameHasAnInode() {
    Hash lost = file(FsState.ROOT, "f", "lost");
    commit(new FsOp.Unlink(FsState.ROOT, Name.of("f")));
    List<LostFile> found = LostFiles.of(state, Set.of(lost), LostFilesTest::goOn);
    assertEquals(1, found.size());
    assertNull(found.getFirst().path());
  }

  @Test
  void aHundredAreNamed() {
    Hash lost = file(FsState.ROOT, "f", "lost");
    for (int i = 0; i < 200; i++) {
      file(FsState.ROOT, "f" + i, "lost");
    }
    assertEquals(LostFiles.MOST, LostFiles.of(state, Set.of(lost), LostFilesTest::goOn).size());
  }

  /** A tree as deep and with names as long as they may be takes no heap for all its prefixes. */
  @Test
  void ofALongPathTheEndIsThere() {
    NodeId at = FsState.ROOT;
    for (int i = 0; i < 40; i++) {
      at = directory(at, "d".repeat(255));
    }
    Hash lost = file(at, "end", "lost");
    String path = LostFiles.of(state, Set.of(lost), LostFilesTest::goOn).getFirst().path();
    assertNotNull(path);
    assertTrue(path.startsWith("...d") && path.endsWith("d/end"), path);
    assertEquals(4_096 + 3, path.length());
  }

  @Test
  void theSearchCanBeEnded() {
    Hash lost = file(FsState.ROOT, "f", "lost");
    for (int i = 0; i < 5_000; i++) {
      file(FsState.ROOT, "f" + i, "there");
    }
    Runnable stop =
        () -> {
          throw new IllegalStateException("the leader stops");
        };
    assertThrows(IllegalStateException.class, () -> LostFiles.of(state, Set.of(lost), stop));
  }

  private static void goOn() {}

  private long inode(NodeId node) {
    Node found = state.node(node);
    assertNotNull(found);
    return found.inode().value();
  }

  private NodeId directory(NodeId parent, String name) {
    commit(new FsOp.MakeDir(parent, Name.of(name), 0755, 0, 0));
    return new NodeId(9, index);
  }

  private Hash file(NodeId parent, String name, String content) {
    commit(new FsOp.CreateFile(parent, Name.of(name), 0644, 0, 0));
    NodeId node = new NodeId(9, index);
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    ChunkRef ref = new ChunkRef(Blake3.hash(bytes), bytes.length);
    commit(new FsOp.Write(node, WriteMode.PWRITE, 0, List.of(ref), false));
    return ref.hash();
  }

  private void commit(FsOp op) {
    index++;
    state = States.after(state, op, index, new NodeId(9, index));
  }
}

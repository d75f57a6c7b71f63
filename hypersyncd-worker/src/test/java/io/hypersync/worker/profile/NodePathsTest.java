package io.hypersync.worker.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.fixtures.States;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodePathsTest {
  private static final NodeId DIRECTORY = new NodeId(0, 10);
  private static final NodeId BELOW = new NodeId(0, 11);
  private static final NodeId FILE = new NodeId(0, 12);
  private static final NodeId GONE = new NodeId(0, 13);

  private FsState state = FsState.genesis();
  private long timeNs;

  @BeforeEach
  void tree() {
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0), DIRECTORY);
    apply(new FsOp.MakeDir(DIRECTORY, Name.of("b"), 0755, 0, 0), BELOW);
    apply(new FsOp.CreateFile(BELOW, Name.of("f"), 0644, 0, 0), FILE);
    apply(new FsOp.CreateFile(BELOW, Name.of("g"), 0644, 0, 0), GONE);
    apply(new FsOp.Unlink(BELOW, Name.of("g")), new NodeId(0, 0));
  }

  @Test
  void everyNodeWithANameHasAPath() {
    assertEquals(
        Map.of(FsState.ROOT, "", DIRECTORY, "a", BELOW, "a/b", FILE, "a/b/f"),
        NodePaths.of(state, Set.of(FsState.ROOT, DIRECTORY, BELOW, FILE, GONE)));
  }

  @Test
  void whatAnOpIsAboutIsANameInADirectoryOrANode() {
    Map<NodeId, String> found = NodePaths.of(state, Set.of(FsState.ROOT, BELOW, FILE, GONE));
    assertEquals("new", path(new FsOp.MakeDir(FsState.ROOT, Name.of("new"), 0, 0, 0), found));
    assertEquals("a/b/g", path(new FsOp.Unlink(BELOW, Name.of("g")), found));
    assertEquals(
        "a/b/to",
        path(
            new FsOp.Rename(
                FsState.ROOT, Name.of("from"), BELOW, Name.of("to"), RenameMode.REPLACE),
            found));
    assertEquals("a/b/f", path(new FsOp.Truncate(FILE, 0, false), found));
    assertNull(path(new FsOp.Truncate(GONE, 0, false), found), "it has no name any more");
  }

  private static String path(FsOp op, Map<NodeId, String> found) {
    return NodePaths.path(MutationTarget.of(op), found);
  }

  private void apply(FsOp op, NodeId newNode) {
    timeNs++;
    state = States.after(state, op, timeNs, newNode);
  }
}

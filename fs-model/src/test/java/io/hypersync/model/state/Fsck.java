package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Checks the invariants that hold in every state, whatever ops led to it. */
final class Fsck {
  private final FsState state;
  private final String where;
  private final Map<NodeId, Integer> names = new HashMap<>();
  private final Map<NodeId, Integer> subdirectories = new HashMap<>();

  private Fsck(FsState state, String where) {
    this.state = state;
    this.where = where;
  }

  /** Fails, with {@code where} in the message, if the state is inconsistent. */
  static void check(FsState state, String where) {
    new Fsck(state, where).run();
  }

  private void run() {
    Node root = state.node(FsState.ROOT);
    assertNotNull(root, where + ": no root");
    names.put(FsState.ROOT, 1);
    walk(root);
    long allocated = 0;
    int orphans = 0;
    Set<Long> inodes = new HashSet<>();
    for (Node node : state.nodes()) {
      String which = where + ": node " + node.inode();
      checkLinks(node, which);
      checkContent(node, which);
      assertTrue(inodes.add(node.inode().value()), which + " shares its inode number");
      assertTrue(node.inode().value() < state.nextInode(), which + " is past the next one");
      allocated += node.allocated();
      assertEquals(node.isOrphan(), state.orphans().get(node.key()) != null, which + " in orphans");
      orphans += node.isOrphan() ? 1 : 0;
    }
    assertEquals(orphans, state.orphans().size(), where + ": orphans");
    assertEquals(allocated, state.allocated(), where + ": allocated bytes of all files");
  }

  private void walk(Node directory) {
    NodeContent.Directory content = (NodeContent.Directory) directory.content();
    for (DirEntry entry : content.entries()) {
      String which = where + ": entry " + entry.name() + " of " + directory.inode();
      Node node = state.node(entry.node());
      assertNotNull(node, which + " leads nowhere");
      assertEquals(entry.type(), node.type(), which + " has another type than its node");
      names.merge(node.id(), 1, Integer::sum);
      if (node.content() instanceof NodeContent.Directory child) {
        assertEquals(directory.id(), child.parent(), which + " has another parent");
        assertEquals(1, names.get(node.id()), which + " is a second name of a directory");
        subdirectories.merge(directory.id(), 1, Integer::sum);
        walk(node);
      }
    }
  }

  private void checkLinks(Node node, String which) {
    int expected = Objects.requireNonNullElse(names.get(node.id()), 0);
    if (node.type() == NodeType.DIRECTORY && expected > 0) {
      expected = 2 + Objects.requireNonNullElse(subdirectories.get(node.id()), 0);
    }
    assertEquals(expected, node.attributes().nlink(), which + " nlink");
    assertEquals(expected == 0, node.isOrphan(), which + " orphan");
  }

  private static void checkContent(Node node, String which) {
    long size = node.attributes().size();
    switch (node.content()) {
      case FileContent content -> checkExtents(content, size, which);
      case NodeContent.Symlink(byte[] target) -> assertEquals(target.length, size, which);
      case NodeContent.Directory directory -> {
        assertEquals(0, size, which + " size");
        assertFalse(
            node.isOrphan() && !directory.entries().isEmpty(), which + " is an orphan with names");
      }
      case NodeContent.Special _ -> assertEquals(0, size, which + " size");
    }
  }

  private static void checkExtents(FileContent content, long size, String which) {
    long end = 0;
    long sum = 0;
    for (Extent extent : content.extents()) {
      assertTrue(extent.length() > 0, which + " has an empty extent");
      assertTrue(extent.offset() >= end, which + " has extents that overlap");
      end = extent.end();
      sum += extent.length();
    }
    assertTrue(end <= size, which + " has an extent behind its end");
    assertEquals(sum, content.allocated(), which + " allocated");
  }
}

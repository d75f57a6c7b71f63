package io.hypersync.worker.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import org.junit.jupiter.api.Test;

/** Which numbers the kernel has for local files, and where they are found. */
class LocalNodesTest {
  private static final NodeId DIRECTORY = new NodeId(7, 8);
  private static final LocalParent TOP = new LocalParent.Replicated(DIRECTORY);

  private final LocalNodes nodes = new LocalNodes();

  private static HostId host(long inode) {
    return new HostId(1, inode, 100 + inode);
  }

  private LocalNode found(LocalParent parent, String name, long inode) {
    return nodes.lookedUp(new LocalPlace(parent, Name.of(name)), host(inode));
  }

  private String path(LocalNode node) {
    LocalPath path = nodes.path(node);
    return path == null ? "none" : path.directory() + ":" + path.names();
  }

  @Test
  void theirNumbersAreNoneOfALeader() {
    assertTrue(LocalNodes.isLocal(found(TOP, "a", 1).number()));
    assertFalse(LocalNodes.isLocal(InodeNo.ROOT));
    assertFalse(LocalNodes.isLocal(new InodeNo(1L << 52)), "however long a leader counts");
  }

  @Test
  void twoNamesOfAFileAreOneNode() {
    LocalNode one = found(TOP, "a", 1);
    assertSame(one, found(TOP, "b", 1));
    nodes.forget(one.number(), 1);
    assertSame(one, nodes.get(one.number()), "each was a lookup");
    nodes.forget(one.number(), 1);
    assertNull(nodes.get(one.number()));
    assertEquals(0, nodes.size());
  }

  @Test
  void aPathFollowsTheDirectoriesAboveIt() {
    LocalNode outer = found(TOP, "outer", 1);
    LocalNode inner = found(outer, "inner", 2);
    LocalNode file = found(inner, "f", 3);
    assertEquals(DIRECTORY + ":[outer, inner, f]", path(file));
    nodes.moved(host(2), new LocalPlace(TOP, Name.of("moved")));
    assertEquals(DIRECTORY + ":[moved, f]", path(file));
  }

  @Test
  void aParentThatIsForgottenIsStillTheWay() {
    LocalNode outer = found(TOP, "outer", 1);
    LocalNode file = found(outer, "f", 2);
    nodes.forget(outer.number(), 1);
    assertEquals(DIRECTORY + ":[outer, f]", path(file));
  }

  @Test
  void aFileWithTheInodeNumberOfOneThatIsGoneIsAnother() {
    LocalNode gone = found(TOP, "a", 1);
    nodes.removed(host(1));
    LocalNode later = found(TOP, "a", 1);
    assertNotEquals(gone.number(), later.number());
    nodes.forget(gone.number(), 1);
    assertSame(later, found(TOP, "a", 1), "forgetting the first one leaves the other");
  }

  @Test
  void moreIsForgottenThanWasLookedUp() {
    LocalNode node = found(TOP, "a", 1);
    nodes.forget(node.number(), -1);
    nodes.forget(node.number(), 5);
    assertEquals(0, nodes.size());
  }

  @Test
  void aTableThatLeadsInACircleEnds() {
    LocalNode one = found(TOP, "a", 1);
    LocalNode other = found(one, "b", 2);
    nodes.moved(host(1), new LocalPlace(other, Name.of("a")));
    assertNull(nodes.path(other));
  }
}

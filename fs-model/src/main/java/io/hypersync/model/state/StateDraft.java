package io.hypersync.model.state;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.TrieKey;
import java.util.HashSet;
import java.util.Set;

/**
 * A state that is put together from parts of others: to plan towards, never to be served or logged.
 * Link counts and parents follow the names; change times do not. Whoever edits it takes names away
 * before they are given elsewhere. Not thread-safe.
 */
public final class StateDraft {
  private static final int LINKS_OF_A_LEAF = 2;

  private FsState state;

  /** Nodes from which a name was taken, or that came without one. */
  private final Set<NodeId> loose = new HashSet<>();

  /** Directories that have no name at the moment; their link count stays what it will be. */
  private final Set<NodeId> detached = new HashSet<>();

  /** Begins with a state as it is. */
  public StateDraft(FsState from) {
    this.state = from;
  }

  /** The node as the draft has it; must exist. */
  private Node node(NodeId id) {
    Node node = state.node(id);
    if (node == null) {
      throw new IllegalArgumentException("no node " + id);
    }
    return node;
  }

  private static MerkleTrie<DirEntry> entries(Node directory) {
    if (directory.content() instanceof Directory(_, var entries)) {
      return entries;
    }
    throw new IllegalArgumentException("no directory: " + directory.id());
  }

  private void setEntries(Node directory, MerkleTrie<DirEntry> entries, int subdirectories) {
    NodeId parent = ((Directory) directory.content()).parent();
    state =
        state.with(
            directory
                .with(new Directory(parent, entries))
                .with(
                    directory
                        .attributes()
                        .withNlink(directory.attributes().nlink() + subdirectories)));
  }

  /**
   * Adds a node that has no name yet; a directory without entries. If the state has a node of this
   * id, which must have no name, it becomes this one.
   */
  public void revive(Node node) {
    loose.add(node.id());
    if (node.content() instanceof Directory(NodeId parent, _)) {
      detached.add(node.id());
      state =
          state.with(
              node.with(new Directory(parent, MerkleTrie.empty()))
                  .with(node.attributes().withNlink(LINKS_OF_A_LEAF)));
    } else {
      state = state.with(node.with(node.attributes().withNlink(0)));
    }
  }

  /** Takes a name away; it must be there. */
  public void unname(NodeId directory, Name name) {
    Node parent = node(directory);
    TrieKey key = TrieKey.of(name.bytes());
    DirEntry entry = entries(parent).get(key);
    if (entry == null) {
      throw new IllegalArgumentException("no name " + name);
    }
    boolean isDirectory = entry.type() == NodeType.DIRECTORY;
    setEntries(parent, entries(parent).without(key), isDirectory ? -1 : 0);
    loose.add(entry.node());
    if (isDirectory) {
      detached.add(entry.node());
    } else {
      addLinks(entry.node(), -1);
    }
  }

  /** Gives a name, which must be free, to a node; a directory must have none. */
  public void name(NodeId directory, Name name, NodeId id) {
    Node parent = node(directory);
    Node node = node(id);
    boolean isDirectory = node.type() == NodeType.DIRECTORY;
    if (entries(parent).get(TrieKey.of(name.bytes())) != null
        || (isDirectory && !detached.remove(id))) {
      throw new IllegalArgumentException("the name " + name + " or the directory has a place");
    }
    if (isDirectory) {
      state = state.with(node.with(new Directory(directory, entries(node))));
    } else {
      addLinks(id, 1);
    }
    Node now = node(directory);
    setEntries(now, entries(now).with(new DirEntry(name, id, node.type())), isDirectory ? 1 : 0);
  }

  private void addLinks(NodeId id, int change) {
    Node node = node(id);
    state = state.with(node.with(node.attributes().withNlink(node.attributes().nlink() + change)));
  }

  /** Makes a node what another one is, but for its names; a directory keeps its mtime, too. */
  public void become(NodeId id, Node like) {
    Node node = node(id);
    NodeAttributes to = like.attributes();
    NodeAttributes attributes = node.attributes().withMode(to.mode()).withOwner(to.uid(), to.gid());
    Node changed = node.with(like.xattrs());
    if (node.type() != NodeType.DIRECTORY) {
      changed = changed.with(like.content());
      attributes = attributes.withSize(to.size()).withMtime(to.mtimeNs());
    }
    state = state.with(changed.with(attributes));
  }

  /** Sets the time of a node. */
  public void mtime(NodeId id, long mtimeNs) {
    Node node = node(id);
    state = state.with(node.with(node.attributes().withMtime(mtimeNs)));
  }

  /** The state; what has lost its last name is not in it. Ends the draft. */
  public FsState state() {
    for (NodeId id : loose) {
      Node node = state.node(id);
      boolean isGone = node != null && (detached.contains(id) || node.isOrphan());
      if (node != null && isGone) {
        state = state.without(node);
      }
    }
    return state;
  }
}

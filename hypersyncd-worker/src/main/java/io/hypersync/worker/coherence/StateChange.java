package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.PageUnreadableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel must be told after another state has taken the place of the one that it knows
 * (docs/kernel-caching.md). Only nodes that the kernel has are looked at: what it asks for is right
 * already. A part of a state that cannot be read, or not in time, counts as different.
 * Single-threaded.
 */
public final class StateChange {
  private final KernelCaches caches;
  private final FsState before;
  private final FsState after;
  private final BooleanSupplier isInTime;
  private int unknown;
  private final List<CachedName> misleading = new ArrayList<>();
  private final List<InodeNo> rewritten = new ArrayList<>();
  private final List<Growth> grown = new ArrayList<>();
  private final List<InodeNo> owned = new ArrayList<>();
  private final List<MovedDirectory> moved = new ArrayList<>();

  /** The names of directories that were read, by node: of both states. */
  private final Map<NodeId, Map<NodeId, Name>> oldNames = new HashMap<>();

  private final Map<NodeId, Map<NodeId, Name>> newNames = new HashMap<>();

  /**
   * The change from one state to another.
   *
   * @param after the state that is visible by now
   * @param isInTime asked before each part of a state is looked at
   */
  public StateChange(KernelCaches caches, FsState before, FsState after, BooleanSupplier isInTime) {
    this.caches = caches;
    this.before = before;
    this.after = after;
    this.isInTime = isInTime;
  }

  /**
   * Looks for it, once.
   *
   * @param names that the kernel may still have
   */
  public void find(List<CachedName> names) {
    caches.forEachKnown(
        (inode, id) -> {
          if (!isKnown(() -> look(inode, id))) {
            unknown++;
            rewritten.add(inode);
          }
        });
    for (CachedName name : names) {
      boolean[] leads = {false};
      if (!isKnown(() -> leads[0] = leadsWhereItDid(name)) || !leads[0]) {
        misleading.add(name);
      }
    }
    oldNames.clear();
    newNames.clear();
  }

  private boolean isKnown(Runnable look) {
    try {
      if (isInTime.getAsBoolean()) {
        look.run();
        return true;
      }
      return false;
    } catch (PageUnreadableException e) { // it is asked for
      return false;
    }
  }

  /** Or to a directory that has moved, which the kernel is made to find at its new place. */
  private boolean leadsWhereItDid(CachedName name) {
    Node was = name.target(before);
    Node is = name.target(after);
    if (was == null) {
      return is == null;
    }
    return (is != null && was.id().equals(is.id()))
        || (was.type() == NodeType.DIRECTORY && after.node(was.id()) != null);
  }

  /** Names that lead elsewhere, or nowhere, or somewhere at last. */
  public List<CachedName> misleading() {
    return misleading;
  }

  /** How many nodes were not looked at in time. */
  public int unknown() {
    return unknown;
  }

  /** Files of which pages may be cached that are not the ones of now. */
  public List<InodeNo> rewritten() {
    return rewritten;
  }

  /** Files that are longer now. */
  public List<Growth> grown() {
    return grown;
  }

  /** Nodes with another owner or group. */
  public List<InodeNo> owned() {
    return owned;
  }

  /** Directories that have another place. */
  public List<MovedDirectory> moved() {
    return moved;
  }

  private void look(InodeNo inode, NodeId id) {
    Node was = before.node(id);
    Node is = after.node(id);
    if (caches.mayHavePages(inode) && !isSameContent(was, is)) {
      rewritten.add(inode);
    }
    if (was == null || is == null) {
      return; // looked up after the change, or nobody finds it any more
    }
    NodeAttributes old = was.attributes();
    NodeAttributes now = is.attributes();
    if (is.type() == NodeType.FILE && now.size() > old.size()) {
      grown.add(new Growth(inode, now.size()));
    }
    if (old.uid() != now.uid() || old.gid() != now.gid()) {
      owned.add(inode);
    }
    if (!id.equals(FsState.ROOT)
        && was.content() instanceof NodeContent.Directory(NodeId oldParent, _)
        && is.content() instanceof NodeContent.Directory(NodeId newParent, _)) {
      lookAtPlace(id, inode, oldParent, newParent);
    }
  }

  private boolean isSameContent(@Nullable Node was, @Nullable Node is) {
    return was != null
        && is != null
        && was.attributes().size() == is.attributes().size()
        && was.content().root(before.version()).equals(is.content().root(before.version()));
  }

  private void lookAtPlace(NodeId id, InodeNo inode, NodeId oldParent, NodeId newParent) {
    Node above = after.node(newParent);
    if (above == null || isSameContent(before.node(newParent), above)) {
      return; // it has no place, or the same one
    }
    Name now = names(newNames, after, newParent).get(id);
    boolean stays =
        newParent.equals(oldParent)
            && now != null
            && now.equals(names(oldNames, before, oldParent).get(id));
    if (now != null && !stays) {
      moved.add(new MovedDirectory(id, inode, new CachedName(newParent, above.inode(), now)));
    }
  }

  private static Map<NodeId, Name> names(
      Map<NodeId, Map<NodeId, Name>> known, FsState state, NodeId directory) {
    return known.computeIfAbsent(directory, id -> subdirectories(state, id));
  }

  private static Map<NodeId, Name> subdirectories(FsState state, NodeId directory) {
    Map<NodeId, Name> names = new HashMap<>();
    Node node = state.node(directory);
    if (node != null
        && node.content() instanceof NodeContent.Directory(_, MerkleTrie<DirEntry> entries)) {
      for (DirEntry entry : entries) {
        if (entry.type() == NodeType.DIRECTORY) {
          names.put(entry.node(), entry.name());
        }
      }
    }
    return names;
  }
}

package io.hypersync.worker.inotify;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Invalidations;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of nodes in a set of directories. Needed because a write names only its node, and a
 * state has no way from a file to its names. Takes about 150 bytes for each name. Single-threaded.
 */
final class ChildNames {
  /**
   * A name of a node.
   *
   * @param parent the directory that has the name
   */
  record NameOf(NodeId parent, Name name) {}

  private final Set<NodeId> directories = new HashSet<>();
  private final Map<NodeId, Set<NameOf>> names = new HashMap<>();

  /** Adds a directory and its names in a state; a directory that the state lacks has none. */
  void add(NodeId directory, FsState state) {
    Node node = state.node(directory);
    if (node != null && !(node.content() instanceof NodeContent.Directory)) {
      return;
    }
    directories.add(directory);
    if (node != null
        && node.content() instanceof NodeContent.Directory(_, MerkleTrie<DirEntry> entries)) {
      for (DirEntry entry : entries) {
        put(entry.node(), new NameOf(directory, entry.name()));
      }
    }
  }

  /** Drops all directories that are not in the set, and their names. */
  void retain(Set<NodeId> keep) {
    if (directories.retainAll(keep)) {
      names.values().forEach(all -> all.removeIf(name -> !directories.contains(name.parent())));
      names.values().removeIf(Set::isEmpty);
    }
  }

  /** Reads the names of all directories again, as they are in a state. */
  void rebuild(FsState state) {
    Set<NodeId> all = Set.copyOf(directories);
    directories.clear();
    names.clear();
    all.forEach(directory -> add(directory, state));
  }

  /** Follows an entry, which must be the next one after the state of the names. */
  void follow(VisibleEntry entry) {
    if (directories.isEmpty()) {
      return;
    }
    FsOp op = entry.op();
    if (op == null || op instanceof FsOp.RestoreState) {
      rebuild(entry.after());
      return;
    }
    for (CachedName name : Invalidations.of(op, entry.before(), entry.after()).names()) {
      NameOf changed = new NameOf(name.parent(), name.name());
      if (directories.contains(changed.parent())) {
        Node old = lookup(entry.before(), changed);
        Node now = lookup(entry.after(), changed);
        if (old != null) {
          remove(old.id(), changed);
        }
        if (now != null) {
          put(now.id(), changed);
        }
      }
    }
  }

  /** The names that a node has in these directories. */
  Set<NameOf> of(NodeId node) {
    return names.getOrDefault(node, Set.of());
  }

  private static @Nullable Node lookup(FsState state, NameOf name) {
    Node directory = state.node(name.parent());
    return directory == null ? null : state.lookup(directory, name.name());
  }

  private void put(NodeId node, NameOf name) {
    names.computeIfAbsent(node, _ -> new HashSet<>(2)).add(name);
  }

  private void remove(NodeId node, NameOf name) {
    Set<NameOf> all = names.get(node);
    if (all != null && all.remove(name) && all.isEmpty()) {
      names.remove(node);
    }
  }
}

package io.hypersync.model.difference;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where some nodes are in one state. A directory knows its parent, so its name is among the names
 * there. A file does not: files are looked for in all directories, in one pass over the state.
 */
public final class Places {
  /** Longest path that is written out, in chars; of a longer one only the end is. */
  static final int MAX_PATH_CHARS = 4096;

  /** A path that fits has no more names. */
  private static final int MAX_LEVELS = MAX_PATH_CHARS / 2;

  /** About what a directory that is wanted takes on the heap. */
  private static final long HEAP_PER_DIRECTORY = 300;

  /** So many names or directories are looked at between two steps. */
  private static final int STEP_EVERY = 4_096;

  private final FsState state;
  private final @Nullable NodeId top;
  private final StateDifference.Limits limits;
  private long heap;
  private int looked;
  private final Map<NodeId, Location> places = new HashMap<>();
  private final Map<NodeId, Boolean> below = new HashMap<>();

  /**
   * Finds nodes.
   *
   * @param files of which one name each is wanted, at or below {@code top} if there is one
   * @param directories whose paths are wanted
   * @param top a directory; null for none
   */
  public Places(
      FsState state,
      Set<NodeId> files,
      Collection<NodeId> directories,
      @Nullable NodeId top,
      StateDifference.Limits limits) {
    this.state = state;
    this.top = top;
    this.limits = limits;
    findFiles(files);
    Set<NodeId> wanted = new HashSet<>();
    directories.forEach(directory -> addAncestors(directory, wanted));
    places.values().forEach(place -> addAncestors(place.parent(), wanted));
    findDirectories(wanted);
  }

  private void findFiles(Set<NodeId> files) {
    if (files.isEmpty()) {
      return;
    }
    int missing = files.size();
    for (Node node : state.nodes()) {
      if (node.content() instanceof Directory(_, var entries)) {
        for (DirEntry entry : entries) {
          look();
          if (files.contains(entry.node()) && isBetter(node.id(), entry.node())) {
            places.put(entry.node(), new Location(node.id(), entry.name()));
            missing -= isFinal(node.id(), entry.node()) ? 1 : 0;
            if (missing == 0) {
              return;
            }
          }
        }
      }
    }
  }

  /** Whether a name in this directory is to be taken for a file, in place of a known one. */
  private boolean isBetter(NodeId directory, NodeId file) {
    Location known = places.get(file);
    return known == null
        || (top != null && !isAtOrBelow(known.parent(), top) && isAtOrBelow(directory, top));
  }

  /** Whether no other name of the file would be better than one in this directory. */
  private boolean isFinal(NodeId directory, NodeId file) {
    Node node = state.node(file);
    return top == null
        || node == null
        || node.attributes().nlink() <= 1
        || isAtOrBelow(directory, top);
  }

  private void look() {
    looked++;
    if (looked % STEP_EVERY == 0) {
      limits.step();
    }
  }

  /** Gives back the memory that was taken. */
  public void close() {
    limits.heap(-heap);
    heap = 0;
  }

  private void take() {
    heap += HEAP_PER_DIRECTORY;
    limits.heap(HEAP_PER_DIRECTORY);
  }

  private void addAncestors(NodeId directory, Set<NodeId> wanted) {
    NodeId at = directory;
    for (int i = 0; i < MAX_LEVELS && !at.equals(FsState.ROOT) && wanted.add(at); i++) {
      take();
      look();
      NodeId parent = parent(at);
      if (parent == null) {
        return;
      }
      at = parent;
    }
  }

  private @Nullable NodeId parent(NodeId directory) {
    Node node = state.node(directory);
    return node != null && node.content() instanceof Directory(NodeId parent, _) ? parent : null;
  }

  private void findDirectories(Set<NodeId> wanted) {
    Map<NodeId, List<NodeId>> byParent = new HashMap<>();
    for (NodeId directory : wanted) {
      NodeId parent = parent(directory);
      if (parent != null) {
        byParent.computeIfAbsent(parent, _ -> new ArrayList<>()).add(directory);
      }
    }
    byParent.forEach(
        (parent, children) -> {
          int left = children.size();
          Node node = state.node(parent);
          if (node == null || !(node.content() instanceof Directory(_, var entries))) {
            return;
          }
          for (DirEntry entry : entries) {
            look();
            if (wanted.contains(entry.node())) {
              places.put(entry.node(), new Location(parent, entry.name()));
              left--;
              if (left == 0) {
                return;
              }
            }
          }
        });
  }

  /** Where a wanted node is; null for the root, and for a node without a name. */
  public @Nullable Location of(NodeId node) {
    return places.get(node);
  }

  /** The path of a name in a wanted directory, printable. */
  public String path(Location at) {
    List<String> names = new ArrayList<>();
    int chars = 0;
    @Nullable Location place = at;
    while (place != null) {
      String name = place.name().toString();
      chars += name.length() + 1;
      if (chars > MAX_PATH_CHARS && !names.isEmpty()) {
        break;
      }
      names.add(name);
      if (place.parent().equals(FsState.ROOT)) {
        return String.join("/", names.reversed());
      }
      place = places.get(place.parent());
    }
    return ".../" + String.join("/", names.reversed());
  }

  /**
   * Whether a directory is {@code top} or below it. To be asked of one {@code top} only.
   *
   * @param top null for a directory that this state does not have
   */
  boolean isAtOrBelow(NodeId directory, @Nullable NodeId top) {
    if (top == null) {
      return false;
    }
    List<NodeId> passed = new ArrayList<>();
    NodeId at = directory;
    @Nullable Boolean found = null;
    while (found == null) {
      passed.add(at);
      if (!below.containsKey(at)) {
        take();
      }
      NodeId parent = parent(at);
      if (at.equals(top)) {
        found = true;
      } else if (parent == null || parent.equals(at)) {
        found = false;
      } else {
        at = parent;
        found = below.get(at);
      }
    }
    for (NodeId each : passed) {
      below.put(each, found);
    }
    return found;
  }
}

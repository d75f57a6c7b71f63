package io.hypersync.model.undo;

import io.hypersync.model.difference.Location;
import io.hypersync.model.difference.Places;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.history.NameChange;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where that is, or was, which an agent has changed: by the newest state, and what is not there any
 * more by the names that it had when the agent came to it. Takes one pass over all names of the
 * newest state. Not thread-safe.
 */
final class UndoPaths {
  /** Deeper paths are cut when they are written out. */
  private static final int MOST_NAMES = 4_096;

  private static final int MOST_CHARS = 4_096;
  private static final byte[] GIT = {'.', 'g', 'i', 't'};

  private final Places places;

  /** Nodes without a name in the newest state, and one that they had. */
  private final Map<NodeId, NamePlace> earlier = new HashMap<>();

  /** What the path that was asked for may lead to, now or earlier. */
  private final Set<NodeId> tops = new HashSet<>();

  private final Set<NamePlace> asked = new HashSet<>();
  private final boolean isAll;

  /**
   * Finds the paths of all that a history has.
   *
   * @param path what is asked for, from the root on; empty for everything
   */
  UndoPaths(UndoHistory history, FsState head, List<Name> path, Limits limits) {
    Set<NodeId> files = new HashSet<>();
    Set<NodeId> directories = new HashSet<>();
    history
        .names()
        .forEach(
            (place, name) -> {
              if (head.hasNamed(place.directory())) {
                directories.add(place.directory());
              }
              NodeId before = name.before();
              if (before != null && !head.hasNamed(before)) {
                earlier.putIfAbsent(before, place);
              }
            });
    history
        .nodes()
        .keySet()
        .forEach(
            id -> {
              Node node = head.node(id);
              if (node != null && !node.isOrphan()) {
                (node.type() == NodeType.DIRECTORY ? directories : files).add(id);
              }
            });
    this.places = new Places(head, files, directories, null, limits);
    this.isAll = path.isEmpty();
    resolve(history, head, path);
  }

  private void resolve(UndoHistory history, FsState head, List<Name> path) {
    Set<NodeId> at = Set.of(FsState.ROOT);
    for (int i = 0; i < path.size(); i++) {
      Set<NodeId> next = new HashSet<>();
      for (NodeId directory : at) {
        NamePlace place = new NamePlace(directory, path.get(i));
        NodeId now = NameChange.at(place, head);
        if (now != null) {
          next.add(now);
        }
        Changed<NodeId> name = history.names().get(place);
        NodeId before = name == null ? null : name.before();
        if (before != null) {
          next.add(before);
        }
        if (i == path.size() - 1) {
          asked.add(place);
        }
      }
      at = next;
    }
    tops.addAll(at);
  }

  /** Where a node is, or was; null for the root, and if it is not known. */
  private @Nullable NamePlace of(NodeId node) {
    Location location = places.of(node);
    return location == null ? earlier.get(node) : new NamePlace(location.parent(), location.name());
  }

  /** Whether a name is what was asked for, or below it. */
  boolean isBelow(NamePlace place) {
    if (isAll) {
      return true;
    }
    @Nullable NamePlace at = place;
    for (int i = 0; at != null && i < MOST_NAMES; i++) {
      if (asked.contains(at) || tops.contains(at.directory())) {
        return true;
      }
      at = of(at.directory());
    }
    return false;
  }

  /** Whether a node is what was asked for, or below it. */
  boolean isBelow(NodeId node) {
    if (isAll || tops.contains(node)) {
      return true;
    }
    NamePlace place = of(node);
    return place != null && isBelow(place);
  }

  /**
   * The name of the {@code .git}, or of the {@code *.git}, that a name is or is below; the
   * outermost one; null if there is none.
   */
  @Nullable NamePlace repository(NamePlace place) {
    NamePlace found = null;
    @Nullable NamePlace at = place;
    for (int i = 0; at != null && i < MOST_NAMES; i++) {
      found = isGits(at.name()) ? at : found;
      at = of(at.directory());
    }
    return found;
  }

  /** The same for a node. */
  @Nullable NamePlace repository(NodeId node) {
    NamePlace place = of(node);
    return place == null ? null : repository(place);
  }

  private static boolean isGits(Name name) {
    byte[] bytes = name.bytes();
    int from = bytes.length - GIT.length;
    return from >= 0 && Arrays.equals(bytes, from, bytes.length, GIT, 0, GIT.length);
  }

  /** The path of a node, printable. */
  String text(NodeId node) {
    if (node.equals(FsState.ROOT)) {
      return ".";
    }
    NamePlace place = of(node);
    return place == null ? "(node " + node + ")" : text(place);
  }

  /** The path of a name, printable. */
  String text(NamePlace place) {
    List<String> names = new ArrayList<>();
    int chars = 0;
    @Nullable NamePlace at = place;
    while (at != null && chars <= MOST_CHARS) {
      String name = at.name().toString();
      chars += name.length() + 1;
      names.add(name);
      if (at.directory().equals(FsState.ROOT)) {
        return String.join("/", names.reversed());
      }
      at = of(at.directory());
    }
    return ".../" + String.join("/", names.reversed());
  }
}

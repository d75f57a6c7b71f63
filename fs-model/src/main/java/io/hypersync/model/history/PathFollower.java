package io.hypersync.model.history;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says which entries change what is at a path or below it. Told each entry in the order of the log,
 * it knows where every node is that is there: what is moved in is followed from then on, what is
 * moved out until then. An entry that makes the path lead elsewhere, such as a rename of a
 * directory above it, counts.
 *
 * <p>Takes one pass over what is there at the beginning, and memory for it. Not thread-safe.
 */
public final class PathFollower {
  private static final long HEAP_PER_NODE = 200;
  private static final int STEP_EVERY = 4_096;

  /** Longer paths are cut at their beginning. */
  private static final int MOST_CHARS = 4_096;

  private final List<Name> path;
  private final Limits limits;

  /**
   * Where the nodes are that are below the path; of those with several names, the last seen one.
   */
  private final Map<NodeId, NamePlace> known = new HashMap<>();

  /** What the path leads to; null if it does not exist. */
  private @Nullable NodeId top;

  private int looked;

  /**
   * Begins to follow.
   *
   * @param state before the first entry
   * @param path the names from the root on; empty for everything
   */
  public PathFollower(FsState state, List<Name> path, Limits limits) {
    this.path = List.copyOf(path);
    this.limits = limits;
    resolve(state);
  }

  /** Finds what the path leads to, and all that is below it if that is another node. */
  private void resolve(FsState state) {
    Node node = state.node(FsState.ROOT);
    for (Name name : path) {
      node = node == null ? null : state.lookup(node, name);
    }
    NodeId now = node == null ? null : node.id();
    if (!Objects.equals(now, top)) {
      top = now;
      known.clear();
      if (now != null) {
        enter(now, state);
      }
    }
  }

  /** Notes all that is below a directory. */
  private void enter(NodeId directory, FsState state) {
    ArrayDeque<NodeId> rest = new ArrayDeque<>();
    rest.push(directory);
    while (!rest.isEmpty()) {
      NodeId at = rest.pop();
      Node node = state.node(at);
      if (node == null || !(node.content() instanceof Directory(_, var entries))) {
        continue;
      }
      for (DirEntry entry : entries) {
        note(entry.node(), new NamePlace(at, entry.name()));
        if (entry.type() == NodeType.DIRECTORY) {
          rest.push(entry.node());
        }
      }
    }
  }

  private void note(NodeId node, NamePlace place) {
    if (known.put(node, place) == null) {
      limits.heap(HEAP_PER_NODE);
    }
    looked++;
    if (looked % STEP_EVERY == 0) {
      limits.step();
    }
  }

  /** Forgets what has left, with all that is below it. */
  private void leave(NodeId gone, FsState state) {
    ArrayDeque<NodeId> rest = new ArrayDeque<>();
    rest.push(gone);
    while (!rest.isEmpty()) {
      NodeId at = rest.pop();
      if (known.remove(at) != null) {
        limits.heap(-HEAP_PER_NODE);
      }
      Node node = state.node(at);
      if (node != null && node.content() instanceof Directory(_, var entries)) {
        entries.forEach(entry -> rest.push(entry.node()));
      }
    }
  }

  private boolean isInside(NodeId node) {
    return node.equals(top) || known.containsKey(node);
  }

  /**
   * The next entry.
   *
   * @param before the state before it
   * @param after the state after it
   * @return the path of what it changes there, printable, from the root of the workspace; null if
   *     it changes nothing there
   */
  public @Nullable String entry(LogEntry entry, FsState before, FsState after) {
    if (entry.op() instanceof FsOp.RestoreState) {
      top = null;
      resolve(after);
      return text();
    }
    NodeId changed = NameChange.changed(entry.op());
    if (changed != null) {
      return isInside(changed) ? text(changed) : null;
    }
    List<NameChange> changes = NameChange.of(entry.op(), entry.createdNode(), before);
    @Nullable String found = null;
    for (NameChange change : changes) {
      if (isInside(change.place().directory())) {
        found = text(change.place()); // of a move within, the new name
      }
    }
    for (NameChange change : changes) {
      follow(change, after);
    }
    NodeId was = top;
    if (!changes.isEmpty()) {
      resolve(after);
    }
    return found == null && !Objects.equals(was, top) ? text() : found;
  }

  private void follow(NameChange change, FsState after) {
    NodeId before = change.before();
    if (before != null && change.place().equals(known.get(before))) {
      leave(before, after);
    }
    NodeId now = change.after();
    if (now != null && isInside(change.place().directory())) {
      note(now, change.place());
      enter(now, after);
    }
  }

  private String text() {
    return path.isEmpty() ? "." : String.join("/", path.stream().map(Name::toString).toList());
  }

  private String text(NodeId node) {
    NamePlace place = known.get(node);
    return place == null ? text() : text(place);
  }

  private String text(NamePlace place) {
    List<String> names = new ArrayList<>();
    int chars = 0;
    @Nullable NamePlace at = place;
    while (at != null && chars <= MOST_CHARS) {
      String name = at.name().toString();
      chars += name.length() + 1;
      names.add(name);
      at = at.directory().equals(top) ? null : known.get(at.directory());
    }
    String below = String.join("/", names.reversed());
    if (chars > MOST_CHARS) {
      return ".../" + below;
    }
    return path.isEmpty() ? below : text() + "/" + below;
  }
}

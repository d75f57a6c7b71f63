package io.hypersync.model.undo;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.history.NameChange;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects what an agent has changed, what that was before, and who else has changed it since. It
 * is told every entry, in the order of the log, with the states around it: so it knows which node a
 * removed name has led to, and sees each node as it was. Memory is taken for what the agent has
 * touched, not for what others do elsewhere. Not thread-safe.
 */
public final class UndoHistory {
  /** About what one changed thing takes on the heap. */
  private static final long HEAP_PER_CHANGE = 500;

  private final Function<LogEntry, UndoAgent.Role> roles;
  private final Limits limits;

  /** In the order in which the agent has changed them first. */
  private final Map<NamePlace, Changed<NodeId>> names = new LinkedHashMap<>();

  private final Map<NodeId, Changed<Node>> nodes = new LinkedHashMap<>();

  /** Nodes that the agent has given a name, or taken one from. */
  private final Map<NodeId, Changed<NodeId>> places = new HashMap<>();

  /**
   * Directories in which the agent has changed names; before is null for those that it has made.
   */
  private final Map<NodeId, Changed<Long>> times = new HashMap<>();

  /** Nodes that the agent has made, or an undo of what it did. */
  private final Set<NodeId> made = new HashSet<>();

  /** What nodes were when they lost their last name. */
  private final Map<NodeId, Node> lastNamed = new HashMap<>();

  private long first;
  private long firstTimeNs;
  private long last;
  private long entries;

  /**
   * Nothing was told yet.
   *
   * @param roles says whose each entry is
   * @param limits asked for memory
   */
  public UndoHistory(Function<LogEntry, UndoAgent.Role> roles, Limits limits) {
    this.roles = roles;
    this.limits = limits;
  }

  /**
   * The next entry.
   *
   * @param before the state before it
   * @param after the state after it
   */
  public void entry(LogEntry entry, FsState before, FsState after) {
    List<NameChange> changes = NameChange.of(entry.op(), entry.createdNode(), before);
    NodeId changed = NameChange.changed(entry.op());
    switch (roles.apply(entry)) {
      case OWN -> own(entry, changes, changed, before);
      case UNDO -> {
        if (!entry.createdNode().equals(LogEntry.NO_NODE)) {
          made(entry, before);
        }
      }
      case OTHER -> others(entry, changes, changed, before, after);
    }
    for (NameChange change : changes) {
      lost(change.before(), before, after);
    }
  }

  private void own(
      LogEntry entry, List<NameChange> changes, @Nullable NodeId changed, FsState before) {
    if (entries == 0) {
      first = entry.index();
      firstTimeNs = entry.committedAtNs();
    }
    last = entry.index();
    entries++;
    long index = entry.index();
    if (!entry.createdNode().equals(LogEntry.NO_NODE)) {
      made(entry, before);
    }
    for (NameChange change : changes) {
      names.computeIfAbsent(change.place(), _ -> changed(change.before(), index));
      placed(change.before(), index);
      placed(change.after(), index);
      time(change.place().directory(), index, before);
    }
    Node node = changed == null ? null : before.node(changed);
    if (node != null) {
      nodes.computeIfAbsent(node.id(), _ -> changed(node, index));
      if (node.type() == NodeType.DIRECTORY) {
        time(node.id(), index, before);
      }
    }
  }

  private <T> Changed<T> changed(@Nullable T before, long index) {
    limits.heap(HEAP_PER_CHANGE);
    return new Changed<>(before, index);
  }

  private void made(LogEntry entry, FsState before) {
    NodeId node = entry.createdNode();
    made.add(node);
    nodes.computeIfAbsent(node, _ -> changed(null, entry.index()));
    placed(node, entry.index());
    if (entry.op() instanceof FsOp.MakeDir) {
      time(node, entry.index(), before);
    }
  }

  private void placed(@Nullable NodeId node, long index) {
    if (node != null) {
      places.computeIfAbsent(node, _ -> changed(node, index));
    }
  }

  private void time(NodeId directory, long index, FsState before) {
    Node node = before.node(directory);
    Long timeNs = node == null ? null : (Long) node.attributes().mtimeNs();
    times.computeIfAbsent(directory, _ -> changed(timeNs, index));
  }

  private void others(
      LogEntry entry,
      List<NameChange> changes,
      @Nullable NodeId changed,
      FsState before,
      FsState after) {
    Toucher toucher = new Toucher(entry.index(), new Author(entry.agent(), entry.origin()));
    if (entry.op() instanceof FsOp.RestoreState) {
      restored(toucher, before, after);
      return;
    }
    for (NameChange change : changes) {
      touched(names.get(change.place()), toucher);
      touched(times.get(change.place().directory()), toucher);
      movedByOther(change.before(), toucher, after);
      movedByOther(change.after(), toucher, after);
    }
    if (changed != null) {
      touched(nodes.get(changed), toucher);
      touched(times.get(changed), toucher);
    }
  }

  private void movedByOther(@Nullable NodeId node, Toucher toucher, FsState after) {
    if (node == null) {
      return;
    }
    touched(places.get(node), toucher);
    if (!after.hasNamed(node)) {
      touched(nodes.get(node), toucher); // whoever removes a file means what is in it, too
    }
  }

  private static void touched(@Nullable Changed<?> changed, Toucher toucher) {
    if (changed != null) {
      changed.touchedBy(toucher);
    }
  }

  /** One entry has made everything what it was at some time: what is different then is touched. */
  private void restored(Toucher toucher, FsState before, FsState after) {
    names.forEach(
        (place, name) -> {
          NodeId was = NameChange.at(place, before);
          NodeId is = NameChange.at(place, after);
          if (was == null ? is != null : !was.equals(is)) {
            name.touchedBy(toucher);
            movedByOther(was, toucher, after);
            movedByOther(is, toucher, after);
          }
        });
    nodes.forEach(
        (id, node) -> {
          if (isOther(before.node(id), after.node(id))) {
            node.touchedBy(toucher);
          }
        });
    times.forEach(
        (id, time) -> {
          if (isOther(before.node(id), after.node(id))) {
            time.touchedBy(toucher);
          }
        });
    places.keySet().forEach(id -> lost(id, before, after));
  }

  /** Every change of a node sets its ctime to another one. */
  private static boolean isOther(@Nullable Node one, @Nullable Node other) {
    if (one == null || other == null) {
      return one != null || other != null;
    }
    return one.attributes().ctimeNs() != other.attributes().ctimeNs();
  }

  /** Keeps what a node was when it has lost its last name. */
  private void lost(@Nullable NodeId id, FsState before, FsState after) {
    if (id != null && places.containsKey(id) && before.hasNamed(id) && !after.hasNamed(id)) {
      Node node = before.node(id);
      if (node != null && lastNamed.put(id, node) == null) {
        limits.heap(HEAP_PER_CHANGE);
      }
    }
  }

  Map<NamePlace, Changed<NodeId>> names() {
    return names;
  }

  Map<NodeId, Changed<Node>> nodes() {
    return nodes;
  }

  Map<NodeId, Changed<Long>> times() {
    return times;
  }

  /** Who else has given the node a name, or taken one from it; null if nobody has. */
  @Nullable Toucher placedByOther(NodeId node) {
    Changed<NodeId> changed = places.get(node);
    return changed == null ? null : changed.other();
  }

  boolean hasMade(NodeId node) {
    return made.contains(node);
  }

  /** What the node was when it lost its last name; null if it has one, or nobody has seen it. */
  @Nullable Node lastNamed(NodeId node) {
    return lastNamed.get(node);
  }

  /** The agent's entries that were told. */
  public long entries() {
    return entries;
  }

  /** The first of them; 0 if there is none. */
  public long first() {
    return first;
  }

  /** When the first of them was committed, in nanoseconds since 1970. */
  long firstTimeNs() {
    return firstTimeNs;
  }

  /** The last of them; 0 if there is none. */
  public long last() {
    return last;
  }
}

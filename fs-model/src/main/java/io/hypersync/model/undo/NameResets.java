package io.hypersync.model.undo;

import io.hypersync.model.history.NameChange;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.undo.Contested.Why;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which names of the newest state lead again to what they led to before the agent came. A name is
 * reset only if nobody else has changed it since, and if nothing is lost by it: what would have no
 * name any more must be the agent's own, and nobody else's work be in it. A reset that is left can
 * make others impossible, so this looks at them until all that are left hold together. Not
 * thread-safe.
 */
final class NameResets {
  private final UndoHistory history;
  private final FsState head;
  private final boolean force;
  private final GitRepositories repositories;

  /** The latest first: what is in a directory comes before the directory. */
  private final List<Reset> all = new ArrayList<>();

  private final Map<NodeId, List<Reset>> byBefore = new HashMap<>();
  private final Map<NodeId, List<Reset>> byNow = new HashMap<>();

  /** How many names more than in the newest state a node has. */
  private final Map<NodeId, Integer> links = new HashMap<>();

  /** How many names more than in the newest state are in a directory. */
  private final Map<NodeId, Integer> entries = new HashMap<>();

  /** Whether a directory is there; as long as nothing changes. */
  private final Map<NodeId, Boolean> present = new HashMap<>();

  private boolean isSettled;

  /** One name that leads to something else than before the agent came. */
  static final class Reset {
    final NamePlace place;
    final long firstIndex;
    final @Nullable NodeId before;
    final @Nullable NodeId now;
    final @Nullable Toucher other;
    boolean isWanted;
    boolean isActive;
    @Nullable Why why;
    @Nullable Toucher blamed;

    Reset(NamePlace place, Changed<NodeId> name, @Nullable NodeId now) {
      this.place = place;
      this.firstIndex = name.firstIndex();
      this.before = name.before();
      this.now = now;
      this.other = name.other();
    }

    /** Whether it is undone although somebody else has changed it. */
    boolean isForced() {
      return isActive && why != null;
    }
  }

  /**
   * Decides.
   *
   * @param paths which says what is wanted
   * @param repositories which are left as a whole
   * @param force whether others' changes do not count
   * @param step called now and then
   */
  NameResets(
      UndoHistory history,
      FsState head,
      UndoPaths paths,
      GitRepositories repositories,
      boolean force,
      Runnable step) {
    this.repositories = repositories;
    this.history = history;
    this.head = head;
    this.force = force;
    history
        .names()
        .forEach(
            (place, name) -> {
              NodeId now = NameChange.at(place, head);
              if (!Objects.equals(now, name.before())) {
                add(new Reset(place, name, now));
              }
            });
    all.sort((a, b) -> Long.compare(b.firstIndex, a.firstIndex));
    want(paths);
    all.forEach(this::begin);
    while (!isSettled) {
      step.run();
      isSettled = true;
      all.stream().filter(reset -> reset.isActive).forEach(this::check);
    }
  }

  private void add(Reset reset) {
    all.add(reset);
    if (reset.before != null) {
      byBefore.computeIfAbsent(reset.before, _ -> new ArrayList<>(1)).add(reset);
    }
    if (reset.now != null) {
      byNow.computeIfAbsent(reset.now, _ -> new ArrayList<>(1)).add(reset);
    }
  }

  private static List<Reset> of(Map<NodeId, List<Reset>> resets, @Nullable NodeId node) {
    return node == null ? List.of() : resets.getOrDefault(node, List.of());
  }

  /** What is below the path, and the other half of what was moved out of it or into it. */
  private void want(UndoPaths paths) {
    List<Reset> rest = new ArrayList<>();
    for (Reset reset : all) {
      if (paths.isBelow(reset.place)) {
        reset.isWanted = true;
        rest.add(reset);
      }
    }
    while (!rest.isEmpty()) {
      Reset reset = rest.removeLast();
      List<Reset> halves = new ArrayList<>(of(byNow, reset.before));
      halves.addAll(of(byBefore, reset.now));
      for (Reset half : halves) {
        if (!half.isWanted) {
          half.isWanted = true;
          rest.add(half);
        }
      }
    }
  }

  private void begin(Reset reset) {
    if (!reset.isWanted) {
      return;
    }
    Toucher git = repositories.other(reset.place);
    if (git != null) {
      reset.why = Why.CHANGED_SINCE;
      reset.blamed = git;
      return; // also if contested paths are forced
    }
    Toucher moved = reset.before == null ? null : history.placedByOther(reset.before);
    Toucher other = reset.other == null ? moved : reset.other;
    if (other != null) {
      reset.why = Why.CHANGED_SINCE;
      reset.blamed = other;
    }
    if (other == null || force) {
      reset.isActive = true;
      count(reset, 1);
    }
  }

  private void count(Reset reset, int sign) {
    if (reset.now != null) {
      links.merge(reset.now, -sign, Integer::sum);
      entries.merge(reset.place.directory(), -sign, Integer::sum);
    }
    if (reset.before != null) {
      links.merge(reset.before, sign, Integer::sum);
      entries.merge(reset.place.directory(), sign, Integer::sum);
    }
  }

  private void leave(Reset reset, Why why, @Nullable Toucher blamed) {
    reset.isActive = false;
    reset.why = why;
    reset.blamed = blamed;
    count(reset, -1);
    present.clear();
    isSettled = false;
  }

  private void check(Reset reset) {
    if (reset.before != null) {
      checkBefore(reset, reset.before);
    }
    if (reset.isActive && reset.now != null && !history.hasMade(reset.now)) {
      checkOrigin(reset, reset.now);
    }
    if (reset.isActive && reset.now != null && !hasName(reset.now)) {
      checkLoss(reset, reset.now);
    }
  }

  /** What the agent has moved must not lose the new name without having the old one again. */
  private void checkOrigin(Reset reset, NodeId now) {
    for (Reset half : of(byBefore, now)) {
      if (!half.isActive) {
        leave(reset, Why.RESTS_ON_LEFT, half.blamed);
        return;
      }
    }
  }

  /** Whether what is to come back can be there. */
  private void checkBefore(Reset reset, NodeId before) {
    if (!isPresent(reset.place.directory())) {
      leave(reset, Why.DIRECTORY_GONE, history.placedByOther(reset.place.directory()));
      return;
    }
    Node node = known(before);
    if (node == null) {
      leave(reset, Why.WOULD_BE_LOST, history.placedByOther(before));
      return;
    }
    for (Reset half : of(byNow, before)) {
      if (!half.isActive) {
        leave(reset, Why.RESTS_ON_LEFT, half.blamed);
        return;
      }
    }
    if (node.type() == NodeType.DIRECTORY) {
      long named = of(byBefore, before).stream().filter(each -> each.isActive).count();
      if (named > 1 || (head.hasNamed(before) && of(byNow, before).isEmpty())) {
        leave(reset, Why.RESTS_ON_LEFT, history.placedByOther(before));
      }
    }
  }

  /** Whether what would lose its last name may go. */
  private void checkLoss(Reset reset, NodeId now) {
    Changed<Node> node = history.nodes().get(now);
    Toucher other = node == null ? null : node.other();
    if (!history.hasMade(now) && !(force && isYounger(now))) {
      leave(reset, Why.WOULD_BE_LOST, history.placedByOther(now));
    } else if (other != null && !force) {
      leave(reset, Why.CHANGED_SINCE, other);
    } else if (hasEntries(now)) {
      Changed<Long> time = history.times().get(now);
      leave(reset, Why.HAS_OTHERS, time == null ? null : time.other());
    } else if (other != null && reset.why == null) {
      reset.why = Why.CHANGED_SINCE;
      reset.blamed = other;
    }
  }

  /** Whether a node was made after the agent came, so it is nothing that was there before. */
  private boolean isYounger(NodeId id) {
    Node node = head.node(id);
    return node != null && node.attributes().btimeNs() > history.firstTimeNs();
  }

  private boolean hasEntries(NodeId id) {
    Node node = head.node(id);
    return node != null
        && node.content() instanceof Directory(_, var names)
        && names.size() + entries.getOrDefault(id, 0) > 0;
  }

  /** A node that has a name, or what it was when it lost that; null if nobody has seen it. */
  @Nullable Node known(NodeId id) {
    return head.hasNamed(id) ? head.node(id) : history.lastNamed(id);
  }

  /** Whether a node has a name, with all resets that are active. */
  boolean hasName(NodeId id) {
    Node node = head.node(id);
    int now = 0;
    if (node != null && !node.isOrphan()) {
      now = node.type() == NodeType.DIRECTORY ? 1 : node.attributes().nlink();
    }
    return now + links.getOrDefault(id, 0) > 0;
  }

  /** Whether a directory can be reached from the root, with all resets that are active. */
  boolean isPresent(NodeId directory) {
    Set<NodeId> passed = new HashSet<>();
    NodeId at = directory;
    @Nullable Boolean found = null;
    while (found == null) {
      found = at.equals(FsState.ROOT) ? Boolean.TRUE : present.get(at);
      if (found == null && !passed.add(at)) {
        found = false; // it would be inside of itself
      }
      if (found == null) {
        NodeId up = parent(at);
        found = up == null ? Boolean.FALSE : null;
        at = up == null ? at : up;
      }
    }
    for (NodeId each : passed) {
      present.put(each, found);
    }
    return found;
  }

  private @Nullable NodeId parent(NodeId directory) {
    for (Reset reset : of(byBefore, directory)) {
      if (reset.isActive) {
        return reset.place.directory();
      }
    }
    boolean isTaken = of(byNow, directory).stream().anyMatch(each -> each.isActive);
    Node node = isTaken ? null : head.node(directory);
    return node != null && !node.isOrphan() && node.content() instanceof Directory(NodeId parent, _)
        ? parent
        : null;
  }

  /** All names that lead to something else, in an order in which they can be named. */
  List<Reset> all() {
    return all;
  }

  /** Whether the agent has taken a name from a node that it does not get back here. */
  boolean isOfAReset(NodeId node) {
    return byBefore.containsKey(node);
  }

  /** Whether a name of the node is one that would be reset, be it left or not. */
  boolean isAtAReset(NodeId node) {
    return byNow.containsKey(node);
  }
}

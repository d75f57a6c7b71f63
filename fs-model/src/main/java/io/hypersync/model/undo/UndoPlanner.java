package io.hypersync.model.undo;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.restore.SameNode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.StateDraft;
import io.hypersync.model.undo.Contested.What;
import io.hypersync.model.undo.Contested.Why;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plans an undo: what the newest state is to become, so that what an agent has changed is as it was
 * before. The ops that lead there are those of a restore ({@code model.restore.RestorePlanner}).
 *
 * <p>Names and nodes are looked at apart. A name that the agent has given, taken or moved leads
 * again to what it led to before the agent's first change of it. A node whose content or attributes
 * it has changed gets those that it had, wherever it is now. The time of a directory goes back with
 * the names in it.
 *
 * <p>What somebody else has changed since the agent's first change, be it before or after its last
 * one, is contested: it stays as it is and is named, unless it is forced. Even then nothing is
 * removed that the agent has not made, and no directory in which anything is left.
 *
 * <p>Takes the time of a pass over all names. Not thread-safe.
 */
public final class UndoPlanner {
  private static final Comparator<Contested> BY_PATH =
      Comparator.comparing(Contested::path).thenComparing(Contested::what);

  private final UndoHistory history;
  private final FsState head;
  private final boolean force;
  private final UndoPaths paths;
  private final GitRepositories repositories;
  private final NameResets names;
  private final List<Contested> contested = new ArrayList<>();

  private UndoPlanner(
      UndoHistory history, FsState head, List<Name> path, boolean force, Limits limits) {
    this.history = history;
    this.head = head;
    this.force = force;
    this.paths = new UndoPaths(history, head, path, limits);
    this.repositories = new GitRepositories(history, paths);
    this.names = new NameResets(history, head, paths, repositories, force, limits::step);
  }

  /**
   * Plans.
   *
   * @param history which was told all entries from the agent's first one to the newest
   * @param head the newest state
   * @param path only what is at or below this, now or before; empty for everything
   * @param force whether contested paths are undone, too
   */
  public static UndoPlan plan(
      UndoHistory history, FsState head, List<Name> path, boolean force, Limits limits) {
    return new UndoPlanner(history, head, path, force, limits).plan();
  }

  private UndoPlan plan() {
    StateDraft draft = new StateDraft(head);
    draftNames(draft);
    draftNodes(draft);
    draftTimes(draft);
    contested.sort(BY_PATH);
    return new UndoPlan(draft.state(), contested);
  }

  private void draftNames(StateDraft draft) {
    for (NameResets.Reset reset : names.all()) {
      Why why = reset.why;
      if (reset.isWanted && why != null) {
        contested.add(
            new Contested(paths.text(reset.place), What.NAME, why, reset.blamed, reset.isForced()));
      }
      if (reset.isActive && reset.now != null) {
        draft.unname(reset.place.directory(), reset.place.name());
      }
    }
    Set<NodeId> revived = new HashSet<>();
    for (NameResets.Reset reset : names.all()) {
      NodeId before = reset.isActive ? reset.before : null;
      if (before != null && !head.hasNamed(before) && revived.add(before)) {
        Node node = names.known(before);
        if (node == null) {
          throw new IllegalStateException("a name of a node that nobody has seen");
        }
        draft.revive(node);
      }
    }
    for (NameResets.Reset reset : names.all()) {
      if (reset.isActive && reset.before != null) {
        draft.name(reset.place.directory(), reset.place.name(), reset.before);
      }
    }
  }

  private void draftNodes(StateDraft draft) {
    history
        .nodes()
        .forEach(
            (id, changed) -> {
              Node before = changed.before();
              if (!paths.isBelow(id)) {
                return;
              }
              if (before != null) {
                draftNode(id, before, changed.other(), draft);
              } else {
                movedOn(id);
              }
            });
  }

  /** What the agent has made, and somebody else has moved, is named: it stays. */
  private void movedOn(NodeId id) {
    Toucher other = history.placedByOther(id);
    if (other != null && head.hasNamed(id) && !names.isAtAReset(id)) {
      contested.add(new Contested(paths.text(id), What.NAME, Why.CHANGED_SINCE, other, false));
    }
  }

  private void draftNode(NodeId id, Node before, @Nullable Toucher other, StateDraft draft) {
    Node now = names.known(id);
    if (now == null || !names.hasName(id)) {
      if (other != null && !names.isOfAReset(id)) { // somebody else has removed it
        contested.add(new Contested(paths.text(id), What.CONTENT, Why.CHANGED_SINCE, other, false));
      }
      return;
    }
    boolean isSame =
        now.type() == NodeType.DIRECTORY
            ? SameNode.isSameButTime(now, before, head.version())
            : SameNode.isSame(now, before, head.version());
    if (isSame) {
      return;
    }
    Toucher git = repositories.other(id);
    if (git != null) {
      contested.add(new Contested(paths.text(id), What.CONTENT, Why.CHANGED_SINCE, git, false));
      return;
    }
    if (other != null) {
      contested.add(new Contested(paths.text(id), What.CONTENT, Why.CHANGED_SINCE, other, force));
    }
    if (other == null || force) {
      draft.become(id, before);
    }
  }

  private void draftTimes(StateDraft draft) {
    Map<NodeId, Boolean> isLeft = new HashMap<>();
    for (NameResets.Reset reset : names.all()) {
      isLeft.merge(reset.place.directory(), !reset.isActive, Boolean::logicalOr);
    }
    history
        .times()
        .forEach(
            (id, changed) -> {
              Long before = changed.before();
              boolean isOwn =
                  before != null && changed.other() == null && repositories.other(id) == null;
              if (isOwn && !isLeft.getOrDefault(id, false) && paths.isBelow(id)) {
                boolean isThere = names.known(id) != null && names.isPresent(id);
                if (isThere) {
                  draft.mtime(id, before);
                }
              }
            });
  }
}

package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.restore.GuardedOps;
import io.hypersync.model.restore.RestoreAction;
import io.hypersync.model.restore.RestoreGuards;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.state.NodeContent.Directory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Carries out restores as a leader does, and says what two trees have in common. */
final class RestoreWorld {
  private static final long MADE = 0x7e57L << 48;

  private final RestoreSteps.ChunkLengths chunks;
  private long timeNs;
  private final List<String> refused = new ArrayList<>();

  /**
   * A world.
   *
   * @param timeNs after that of all states
   */
  RestoreWorld(RestoreSteps.ChunkLengths chunks, long timeNs) {
    this.chunks = chunks;
    this.timeNs = timeNs;
  }

  static List<Name> names(String path) {
    return Arrays.stream(path.split("/", -1))
        .filter(part -> !part.isEmpty())
        .map(Name::of)
        .toList();
  }

  static List<String> lines(RestorePlan plan) {
    return plan.actions().stream().map(action -> action.kind() + " " + action.path()).toList();
  }

  /** The paths of actions that were given up, because of what others had changed. */
  List<String> refused() {
    return refused;
  }

  /**
   * Restores a path.
   *
   * @param before each action, what somebody else does to the state
   */
  FsState restore(FsState head, FsState past, List<Name> path, UnaryOperator<FsState> before)
      throws Exception {
    RestorePlan plan = RestorePlanner.plan(head, past, path, Limits.NONE);
    RestoreSteps steps = new RestoreSteps(plan, head.version(), chunks, Limits.NONE);
    RestoreGuards guards = new RestoreGuards(head);
    FsState state = head;
    for (RestoreAction action : plan.actions()) {
      state = before.apply(state);
      for (GuardedOps step : steps.of(action)) {
        FsState next = guards.allow(step, state) ? apply(state, step, guards) : null;
        if (next == null) {
          refused.add(action.path());
          break;
        }
        state = next;
      }
    }
    return state;
  }

  private @Nullable FsState apply(FsState from, GuardedOps step, RestoreGuards guards) {
    FsState state = from;
    for (FsOp op : step.ops()) {
      timeNs++;
      NodeId created = new NodeId(MADE, timeNs);
      FsOp resolved = FsStateMachine.resolve(state, guards.real(op));
      switch (FsStateMachine.apply(state, resolved, new Stamp(timeNs, created))) {
        case Outcome.Failed _ -> {
          return null;
        }
        case Outcome.Applied(FsState next) -> {
          if (next.node(created) != null) {
            guards.made(planned(step.creates()), created);
          }
          guards.did(resolved, created, state, next);
          state = next;
        }
      }
    }
    return state;
  }

  private static NodeId planned(@Nullable NodeId id) {
    return Objects.requireNonNull(id, "an op that makes a node nobody has planned");
  }

  /** Restores a path and checks everything that a restore promises when nobody else writes. */
  FsState checked(FsState head, FsState past, List<Name> path, String where) throws Exception {
    FsState after = restore(head, past, path, state -> state);
    assertEquals(List.of(), refused, where);
    Fsck.check(after, where);
    assertEquals(tree(past, path), tree(after, path), where);
    Set<NodeId> inside = ids(head, path);
    inside.addAll(ids(after, path));
    assertEquals(outside(head, path, inside), outside(after, path, inside), where);
    assertKeepsInodes(head, past, after, path, where);
    if (find(past, path) != null) {
      assertEquals(
          List.of(), lines(RestorePlanner.plan(after, past, path, Limits.NONE)), where + ": again");
    }
    assertTrue(head.nodes().size() <= after.nodes().size(), where + ": nothing is reaped");
    return after;
  }

  private static void assertKeepsInodes(
      FsState head, FsState past, FsState after, List<Name> path, String where) {
    Set<NodeId> then = ids(past, path);
    Set<NodeId> now = ids(after, path);
    Node top = find(head, path);
    Node pastTop = find(past, path);
    for (NodeId id : ids(head, path)) {
      boolean isTop =
          top != null
              && pastTop != null
              && !top.id().equals(pastTop.id())
              && (id.equals(top.id()) || id.equals(pastTop.id()));
      if (then.contains(id) && !isTop) {
        assertTrue(now.contains(id), () -> where + ": has another inode: " + id);
      }
    }
  }

  private static @Nullable Node find(FsState state, List<Name> path) {
    Node node = state.node(FsState.ROOT);
    for (Name name : path) {
      node = node == null ? null : state.lookup(node, name);
    }
    return node;
  }

  private static Set<NodeId> ids(FsState state, List<Name> path) {
    Set<NodeId> ids = new HashSet<>();
    visit(state, find(state, path), "", (_, node) -> ids.add(node.id()));
    return ids;
  }

  private interface Visitor {
    void visit(String path, Node node);
  }

  private static void visit(FsState state, @Nullable Node node, String path, Visitor visitor) {
    if (node == null) {
      return;
    }
    visitor.visit(path, node);
    if (node.content() instanceof Directory(_, var entries)) {
      for (DirEntry entry : entries) {
        visit(state, state.node(entry.node()), path + "/" + entry.name(), visitor);
      }
    }
  }

  /** What a restore brings back, by path: nodes of several names have the first of them. */
  static Map<String, String> tree(FsState state, List<Name> path) {
    Map<String, String> tree = new TreeMap<>();
    Map<NodeId, String> first = new HashMap<>();
    visit(
        state,
        find(state, path),
        "",
        (at, node) -> {
          first.putIfAbsent(node.id(), at);
          tree.put(at, first.get(node.id()) + " " + text(node, state));
        });
    return tree;
  }

  private static String text(Node node, FsState state) {
    NodeAttributes a = node.attributes();
    String content = node.type() == NodeType.DIRECTORY ? "" : "" + content(node, state);
    return node.type()
        + " "
        + Integer.toOctalString(a.mode())
        + " "
        + a.uid()
        + ":"
        + a.gid()
        + " "
        + a.size()
        + " "
        + a.mtimeNs()
        + " "
        + a.rdev()
        + " "
        + content
        + " "
        + node.xattrs().root(state.version());
  }

  private static Object content(Node node, FsState state) {
    return node.content().root(state.version());
  }

  /**
   * Everything elsewhere. Of nodes that have names at the path, too, only the id; of what is above
   * the path nothing.
   */
  private static Map<String, String> outside(FsState state, List<Name> path, Set<NodeId> inside) {
    Map<String, String> tree = new TreeMap<>();
    StringBuilder prefix = new StringBuilder();
    path.forEach(name -> prefix.append('/').append(name));
    visit(
        state,
        state.node(FsState.ROOT),
        "",
        (at, node) -> {
          boolean isAbove = (prefix + "/").startsWith(at + "/");
          boolean isInside = (at + "/").startsWith(prefix + "/");
          if (!isAbove && !isInside) {
            String text = inside.contains(node.id()) ? "" : text(node, state);
            tree.put(at, node.id() + " " + text);
          }
        });
    return tree;
  }
}

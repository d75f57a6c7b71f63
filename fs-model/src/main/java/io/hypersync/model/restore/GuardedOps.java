package io.hypersync.model.restore;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ops that are committed one behind the other with nothing in between, and what must be so before
 * the first of them. Somebody may have changed the workspace since the plan was made: then nothing
 * of it is done.
 *
 * @param names what names must lead to
 * @param unchanged nodes that nobody else may have changed since the plan was made
 * @param linked files that must have more than one name, because an op takes one of them, and the
 *     plan has given the file another one: if that was left, the file must not go with this name
 * @param ops at least one; a node that the plan creates has a {@linkplain PlannedIds planned id}
 * @param creates the planned id of the node that one of the ops creates; null if none does
 */
public record GuardedOps(
    List<NameGuard> names,
    List<NodeId> unchanged,
    List<NodeId> linked,
    List<FsOp> ops,
    @Nullable NodeId creates) {
  /** Copies the lists. */
  public GuardedOps {
    names = List.copyOf(names);
    unchanged = List.copyOf(unchanged);
    linked = List.copyOf(linked);
    ops = List.copyOf(ops);
  }

  /**
   * An op on a node that nobody else may have changed.
   *
   * @param at the name that must lead to it; null if it has none
   */
  static GuardedOps on(NodeId node, @Nullable NameGuard at, FsOp op) {
    List<NameGuard> names = at == null ? List.of() : List.of(at);
    return new GuardedOps(names, List.of(node), List.of(), List.of(op), null);
  }

  /** An op that makes a file without a name, which rests on nothing. */
  static GuardedOps unnamed(FsOp op, NodeId creates) {
    return new GuardedOps(List.of(), List.of(), List.of(), List.of(op), creates);
  }
}

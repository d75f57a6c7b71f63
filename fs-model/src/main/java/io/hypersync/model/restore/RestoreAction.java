package io.hypersync.model.restore;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.Node;
import org.jspecify.annotations.Nullable;

/** One thing that a restore does to one path. */
public sealed interface RestoreAction {
  RestoreKind kind();

  /** From the root of the workspace, without a leading slash, printable; "." for the root. */
  String path();

  /** Of the node that is made, changed, moved or removed. */
  NodeType type();

  /** Names are changed, or a directory is made. */
  record Names(RestoreKind kind, String path, NodeType type, GuardedOps ops)
      implements RestoreAction {}

  /**
   * A node is made that is no directory.
   *
   * @param node its planned id
   * @param at what leads to it then
   * @param parent the directory, where a regular file is made without a name
   * @param then what it shall be
   * @param named gives it its name; for anything but regular files this makes it, too
   */
  record Make(
      RestoreKind kind,
      String path,
      NodeId node,
      NameGuard at,
      NodeId parent,
      Node then,
      GuardedOps named)
      implements RestoreAction {
    @Override
    public NodeType type() {
      return then.type();
    }
  }

  /**
   * A node is changed in place.
   *
   * @param node its id, which may be another one than {@code then} has
   * @param at what leads to it; null for the root
   * @param now the node as it is before
   * @param then what it shall be
   */
  record Change(
      RestoreKind kind, String path, NodeId node, @Nullable NameGuard at, Node now, Node then)
      implements RestoreAction {
    @Override
    public NodeType type() {
      return then.type();
    }
  }
}

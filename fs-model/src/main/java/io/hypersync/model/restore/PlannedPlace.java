package io.hypersync.model.restore;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import org.jspecify.annotations.Nullable;

/**
 * Where a directory is at one point of a plan: the names that lead to it from the root, of which
 * places below one another share the upper part. What rests on a place ends when somebody moves or
 * renames any directory of it, which changes neither what is below nor the ctimes there.
 */
public final class PlannedPlace {
  /** The root of the workspace. */
  public static final PlannedPlace ROOT = new PlannedPlace(FsState.ROOT, null);

  private final NodeId node;
  private final @Nullable Step step;

  private record Step(PlannedPlace parent, Name name) {}

  private PlannedPlace(NodeId node, @Nullable Step step) {
    this.node = node;
    this.step = step;
  }

  /** A directory in another one. */
  public static PlannedPlace of(PlannedPlace parent, Name name, NodeId node) {
    return new PlannedPlace(node, new Step(parent, name));
  }

  /** The directory; may be a {@linkplain PlannedIds planned id}. */
  public NodeId node() {
    return node;
  }

  /** What leads to it; null for the root. */
  public @Nullable NameGuard guard() {
    return step == null ? null : new NameGuard(step.parent, step.name, node);
  }

  boolean isAt(PlannedPlace parent, Name name) {
    return step != null && step.parent == parent && step.name.equals(name);
  }
}

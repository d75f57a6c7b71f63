package io.hypersync.model.difference;

import io.hypersync.model.state.Node;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change whose paths are not known yet.
 *
 * @param before the node in the first state, or null
 * @param after the node in the second state, or null
 * @param from the name in the first state that this is about, or null
 * @param to the name in the second state that this is about; null if there is none, or if it has to
 *     be found first
 */
record Draft(
    ChangeKind kind,
    @Nullable Node before,
    @Nullable Node after,
    @Nullable Location from,
    @Nullable Location to,
    Set<Aspect> aspects) {
  /** The node, in the second state if it is there. */
  Node node() {
    if (after != null) {
      return after;
    }
    if (before == null) {
      throw new IllegalStateException("a change of nothing");
    }
    return before;
  }

  /** Whether the name has to be found. */
  boolean isUnplaced() {
    return from == null && to == null;
  }
}

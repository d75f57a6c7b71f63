package io.hypersync.model.undo;

import io.hypersync.model.state.FsState;
import java.util.List;

/**
 * What the workspace is to become by an undo.
 *
 * @param target the newest state, with what the agent has changed as it was before
 * @param contested what is left, or forced, in the order of the paths
 */
public record UndoPlan(FsState target, List<Contested> contested) {
  /** Copies the list. */
  public UndoPlan {
    contested = List.copyOf(contested);
  }

  /** How many paths are left as they are. */
  public long left() {
    return contested.stream().filter(each -> !each.isForced()).count();
  }
}

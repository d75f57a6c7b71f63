package io.hypersync.model.undo;

import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.NodeId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * In which repositories of git others have worked since the agent came. What git keeps there fits
 * together: commits of others rest on objects that the agent's commits have made, though nobody has
 * touched those since. So such a repository's {@code .git} is left as a whole, also if contested
 * paths are forced. Not thread-safe.
 */
final class GitRepositories {
  private final UndoPaths paths;
  private final Map<NamePlace, Toucher> others = new HashMap<>();

  GitRepositories(UndoHistory history, UndoPaths paths) {
    this.paths = paths;
    history.names().forEach((place, name) -> note(paths.repository(place), name.other()));
    history.nodes().forEach((id, node) -> note(paths.repository(id), node.other()));
    history.times().forEach((id, time) -> note(paths.repository(id), time.other()));
  }

  private void note(@Nullable NamePlace repository, @Nullable Toucher other) {
    if (repository != null && other != null) {
      others.put(repository, other);
    }
  }

  /** Who else has worked in the repository that a name belongs to; null if it may be undone. */
  @Nullable Toucher other(NamePlace place) {
    return others.isEmpty() ? null : of(paths.repository(place));
  }

  /** Who else has worked in the repository that a node belongs to; null if it may be undone. */
  @Nullable Toucher other(NodeId node) {
    return others.isEmpty() ? null : of(paths.repository(node));
  }

  private @Nullable Toucher of(@Nullable NamePlace repository) {
    return repository == null ? null : others.get(repository);
  }
}

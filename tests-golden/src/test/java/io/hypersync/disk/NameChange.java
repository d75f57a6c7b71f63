package io.hypersync.disk;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An atomic change of names: the effect of one call.
 *
 * @param steps the new target of each changed name
 */
record NameChange(List<Step> steps) {
  /**
   * The new target of one name.
   *
   * @param node null if the name is removed
   */
  record Step(DiskNode directory, String name, @Nullable DiskNode node) {
    boolean isPlaceOf(Step other) {
      return directory == other.directory && name.equals(other.name);
    }
  }

  static NameChange of(Step... steps) {
    return new NameChange(List.of(steps));
  }

  /** Whether it changes this directory, or gives this node a name. */
  boolean concerns(DiskNode node) {
    return isIn(node) || steps.stream().anyMatch(step -> step.node == node);
  }

  boolean isIn(DiskNode directory) {
    return steps.stream().anyMatch(step -> step.directory == directory);
  }

  /** Whether both change the same name in the same directory. */
  boolean meets(NameChange other) {
    return steps.stream().anyMatch(step -> other.steps.stream().anyMatch(step::isPlaceOf));
  }

  void applyNow() {
    for (Step step : steps) {
      if (step.node == null) {
        step.directory.names.remove(step.name);
      } else {
        step.directory.names.put(step.name, step.node);
      }
    }
  }

  void applyDurably() {
    for (Step step : steps) {
      if (step.node == null) {
        step.directory.durableNames.remove(step.name);
      } else {
        step.directory.durableNames.put(step.name, step.node);
      }
    }
  }
}

package io.hypersync.disk;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of names that happens as a whole or not at all: one call.
 *
 * @param steps what each place names afterwards
 */
record NameChange(List<Step> steps) {
  /**
   * One place.
   *
   * @param node null if the name is gone
   */
  record Step(DiskNode directory, String name, @Nullable DiskNode node) {
    boolean isPlaceOf(Step other) {
      return directory == other.directory && name.equals(other.name);
    }
  }

  static NameChange of(Step... steps) {
    return new NameChange(List.of(steps));
  }

  /** Whether it is a change in this directory, or gives this node a name. */
  boolean concerns(DiskNode node) {
    return isIn(node) || steps.stream().anyMatch(step -> step.node == node);
  }

  boolean isIn(DiskNode directory) {
    return steps.stream().anyMatch(step -> step.directory == directory);
  }

  /** Whether both are about the same name of the same directory. */
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

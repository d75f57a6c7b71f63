package io.hypersync.leader.restore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has become of some steps.
 *
 * @param left the actions that were not done, or not all of them
 * @param lastIndex the newest entry of this restore so far, which need not be durable; 0 if there
 *     is none
 * @param entries how many entries it has made so far
 */
public record RestoreAnswer(List<Left> left, long lastIndex, long entries) {
  /**
   * An action that was not done.
   *
   * @param errno what the op got; null if somebody else has changed what it rests on
   * @param other the name that an op before it has given, in the directory of the action's path: a
   *     temporary one, if it is not the one of the path; null if there was none
   */
  public record Left(int action, @Nullable Errno errno, @Nullable Name other) {}

  /** Copies the list. */
  public RestoreAnswer {
    left = List.copyOf(left);
  }
}

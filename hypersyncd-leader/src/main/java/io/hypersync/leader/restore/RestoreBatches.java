package io.hypersync.leader.restore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.restore.GuardedOps;
import io.hypersync.model.restore.RestoreAction;
import io.hypersync.model.restore.RestoreKind;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestoreSteps;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a plan into batches for a {@link RestoreRun}, and counts what becomes of them. Reads the
 * chunks that it names, so it is not for the agent's thread. Not thread-safe.
 */
public final class RestoreBatches {
  private static final int STEPS_PER_BATCH = 256;

  private final RestorePlan plan;
  private final RestoreSteps steps;
  private final Map<RestoreKind, Long> done = new EnumMap<>(RestoreKind.class);
  private final List<Left> left = new ArrayList<>();
  private final int mostLeft;
  private final Set<Integer> leftNow = new HashSet<>();
  private int next;
  private int first;
  private long leftCount;
  private long lastIndex;
  private long entries;
  private boolean hasNoRoom;

  /** Why something was left as it is. */
  public enum Reason {
    /** Somebody else has changed it, or what it rests on, since the plan was made. */
    CHANGED_MEANWHILE,
    /** A chunk of it cannot be read. */
    CHUNK_LOST,
    /** There is no room on the disk or in the heap, for it or for what it rests on. */
    NO_ROOM,
    /** The op was refused for another reason. */
    REFUSED
  }

  /**
   * What was left as it is, or in part.
   *
   * @param errno what the op got; null if no op was tried
   * @param place the temporary path of what was in the way, or of what was to have the path; null
   *     if nothing has one
   */
  public record Left(
      RestoreAction action, Reason reason, @Nullable Errno errno, @Nullable String place) {}

  /**
   * The batches of a plan.
   *
   * @param mostLeft how many of what is left are remembered; all are counted
   */
  public RestoreBatches(RestorePlan plan, RestoreSteps steps, int mostLeft) {
    this.plan = plan;
    this.steps = steps;
    this.mostLeft = mostLeft;
  }

  /** The next steps; empty if there are no more. Those before must have been answered. */
  public List<RestoreStep> next() {
    List<RestoreStep> batch = new ArrayList<>();
    first = next;
    leftNow.clear();
    steps.done();
    while (next < plan.actions().size() && batch.size() < STEPS_PER_BATCH) {
      RestoreAction action = plan.actions().get(next);
      try {
        for (GuardedOps ops : steps.of(action)) {
          batch.add(new RestoreStep(next, ops));
        }
      } catch (RestoreSteps.LostChunkException e) {
        leave(next, Reason.CHUNK_LOST, null, null);
      }
      next++;
    }
    if (batch.isEmpty()) {
      count();
    }
    return batch;
  }

  /** The steps have been done, or not. */
  public void answered(RestoreAnswer answer) {
    lastIndex = answer.lastIndex();
    entries = answer.entries();
    for (RestoreAnswer.Left each : answer.left()) {
      leave(each.action(), reason(each.errno()), each.errno(), each.other());
    }
    count();
  }

  /** Why an action was left. One that rests on another, for which there was no room, has none. */
  private Reason reason(@Nullable Errno errno) {
    Reason changed = hasNoRoom ? Reason.NO_ROOM : Reason.CHANGED_MEANWHILE;
    if (errno == null) {
      return changed;
    }
    return switch (errno) {
      case ENOSPC -> Reason.NO_ROOM;
      case EIO -> Reason.CHUNK_LOST;
      case ENOTEMPTY, ENOENT, EEXIST, EINVAL -> changed;
      default -> Reason.REFUSED;
    };
  }

  private void leave(int action, Reason reason, @Nullable Errno errno, @Nullable Name other) {
    leftNow.add(action);
    hasNoRoom |= reason == Reason.NO_ROOM;
    boolean isTime = plan.actions().get(action).kind() == RestoreKind.TIMES;
    if (isTime && reason == Reason.CHANGED_MEANWHILE) {
      return; // others have used the directory, so its time is theirs
    }
    leftCount++;
    if (left.size() < mostLeft) {
      RestoreAction it = plan.actions().get(action);
      left.add(new Left(it, reason, errno, place(it.path(), other)));
    }
  }

  private static @Nullable String place(String path, @Nullable Name other) {
    if (other == null) {
      return null;
    }
    String place = path.substring(0, path.lastIndexOf('/') + 1) + other;
    return place.equals(path) ? null : place;
  }

  /** Counts the actions of this batch. */
  private void count() {
    for (int i = first; i < next; i++) {
      if (!leftNow.contains(i)) {
        done.merge(plan.actions().get(i).kind(), 1L, Long::sum);
      }
    }
    first = next;
  }

  /** How many actions were begun; all of them in the end. */
  public int begun() {
    return first;
  }

  /** How many actions there are. */
  public int actions() {
    return plan.actions().size();
  }

  /** How many actions were done, by kind. */
  public Map<RestoreKind, Long> done() {
    return done;
  }

  /** What was left, in the order of the plan; not all of it if there is too much. */
  public List<Left> left() {
    return left;
  }

  /**
   * How many actions were tried and left. The time of a directory that others have used meanwhile
   * does not count.
   */
  public long leftCount() {
    return leftCount;
  }

  /** How many entries were made. */
  public long entries() {
    return entries;
  }

  /** The newest entry; 0 if there is none. */
  public long lastIndex() {
    return lastIndex;
  }

  /** Whether something was left because there is no room. */
  public boolean hasNoRoom() {
    return hasNoRoom;
  }
}

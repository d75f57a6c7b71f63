package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Intents that can be sequenced. Workers take turns, one intent each, and those of one worker go as
 * they came: however many one of them has, the next one of another waits for no more than one of
 * each worker. Each step takes the same time, however many there are.
 */
final class WorkerTurns {
  /** What one worker has. */
  private record Lane(WorkerId worker, ArrayDeque<PendingIntent> intents) {}

  /** The workers that have any. */
  private final Map<WorkerId, Lane> lanes = new HashMap<>();

  /** The same, whose turn is next first. */
  private final ArrayDeque<Lane> turns = new ArrayDeque<>();

  /** One more can be sequenced. */
  void add(PendingIntent intent) {
    Lane lane = lanes.get(intent.origin());
    if (lane == null) {
      lane = new Lane(intent.origin(), new ArrayDeque<>());
      lanes.put(intent.origin(), lane);
      turns.addLast(lane);
    }
    lane.intents().addLast(intent);
  }

  /** Takes the next one out; null if there is none. */
  @Nullable PendingIntent poll() {
    Lane lane = turns.pollFirst();
    if (lane == null) {
      return null;
    }
    PendingIntent next = lane.intents().removeFirst();
    if (lane.intents().isEmpty()) {
      lanes.remove(lane.worker());
    } else {
      turns.addLast(lane);
    }
    return next;
  }
}

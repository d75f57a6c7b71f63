package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Round-robin queue of intents that can be sequenced. Workers take turns, one intent each, and the
 * intents of one worker keep their order. So however many intents one worker has, another worker's
 * next intent waits for at most one of each worker. Every operation takes constant time.
 */
final class WorkerTurns {
  /** The waiting intents of one worker, oldest first. */
  private record Lane(WorkerId worker, ArrayDeque<PendingIntent> intents) {}

  /** Workers with at least one waiting intent. */
  private final Map<WorkerId, Lane> lanes = new HashMap<>();

  /** The same lanes in the order of their turns. */
  private final ArrayDeque<Lane> turns = new ArrayDeque<>();

  /** Adds an intent that can be sequenced. */
  void add(PendingIntent intent) {
    Lane lane = lanes.get(intent.origin());
    if (lane == null) {
      lane = new Lane(intent.origin(), new ArrayDeque<>());
      lanes.put(intent.origin(), lane);
      turns.addLast(lane);
    }
    lane.intents().addLast(intent);
  }

  /** Removes and returns the next intent; null if there is none. */
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

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
final class FairIntentQueue {
  /** The waiting intents of one worker, oldest first. */
  private record WorkerQueue(WorkerId worker, ArrayDeque<PendingIntent> intents) {}

  /** Workers with at least one waiting intent. */
  private final Map<WorkerId, WorkerQueue> queues = new HashMap<>();

  /** The same queues in the order of their turns. */
  private final ArrayDeque<WorkerQueue> turns = new ArrayDeque<>();

  /** Adds an intent that can be sequenced. */
  void add(PendingIntent intent) {
    WorkerQueue queue = queues.get(intent.origin());
    if (queue == null) {
      queue = new WorkerQueue(intent.origin(), new ArrayDeque<>());
      queues.put(intent.origin(), queue);
      turns.addLast(queue);
    }
    queue.intents().addLast(intent);
  }

  /** Removes and returns the next intent; null if there is none. */
  @Nullable PendingIntent poll() {
    WorkerQueue queue = turns.pollFirst();
    if (queue == null) {
      return null;
    }
    PendingIntent next = queue.intents().removeFirst();
    if (queue.intents().isEmpty()) {
      queues.remove(queue.worker());
    } else {
      turns.addLast(queue);
    }
    return next;
  }
}

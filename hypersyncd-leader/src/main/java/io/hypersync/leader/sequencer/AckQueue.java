package io.hypersync.leader.sequencer;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Acks that wait until the entries they rest on are durable. Errors wait too: a crash could take
 * back the entry that caused an EEXIST, and the answer would be false.
 *
 * <p>Used on the agent's thread only.
 */
final class AckQueue {
  private record Waiting(WorkerId worker, CommitAck ack, @Nullable IntentTimestamps times) {}

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Map<IntentId, CommitAck> byIntent = new HashMap<>();
  private final WorkerCounts counts = new WorkerCounts();

  /**
   * Queues an ack; acks must be added in the order of {@code asOfIndex}.
   *
   * @param times of an intent that has become an entry; null for a refusal
   */
  void add(WorkerId worker, CommitAck ack, @Nullable IntentTimestamps times) {
    waiting.addLast(new Waiting(worker, ack, times));
    byIntent.put(ack.intent(), ack);
    counts.increment(worker);
  }

  /**
   * The ack of this intent that waits here, or null. An intent found here is decided and must not
   * be decided again.
   */
  @Nullable CommitAck find(IntentId intent) {
    return byIntent.get(intent);
  }

  /**
   * Sends the acks that rest on durable entries only.
   *
   * @param committed called for each intent that has become an entry, after its ack was sent
   * @return how many acks were sent
   */
  int release(
      long durableIndex,
      BiConsumer<WorkerId, CommitAck> sender,
      BiConsumer<CommitAck, IntentTimestamps> committed) {
    int released = 0;
    while (!waiting.isEmpty() && waiting.getFirst().ack().asOfIndex() <= durableIndex) {
      Waiting next = waiting.removeFirst();
      byIntent.remove(next.ack().intent());
      counts.decrement(next.worker());
      sender.accept(next.worker(), next.ack());
      if (next.times() != null) {
        committed.accept(next.ack(), next.times());
      }
      released++;
    }
    return released;
  }

  int size() {
    return waiting.size();
  }

  /** How many of the waiting acks are for this worker. */
  int size(WorkerId worker) {
    return counts.of(worker);
  }
}

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
 * Answers that wait until what they rest on is durable. That goes for errors too: EEXIST because of
 * an entry that a crash then takes back would be a lie.
 */
final class AckQueue {
  private record Waiting(WorkerId worker, CommitAck ack, @Nullable IntentTimes times) {}

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Map<IntentId, CommitAck> byIntent = new HashMap<>();
  private final WorkerCounts counts = new WorkerCounts();

  /**
   * Acks come in the order of {@code asOfIndex}.
   *
   * @param times of an intent that has become an entry
   */
  void add(WorkerId worker, CommitAck ack, @Nullable IntentTimes times) {
    waiting.addLast(new Waiting(worker, ack, times));
    byIntent.put(ack.intent(), ack);
    counts.increment(worker);
  }

  /** The answer to this intent which waits here, or null: it is decided and must not be again. */
  @Nullable CommitAck find(IntentId intent) {
    return byIntent.get(intent);
  }

  /**
   * Hands out what has become durable.
   *
   * @param committed told of each intent that has become an entry, after its ack was handed out
   */
  int release(
      long durableIndex,
      BiConsumer<WorkerId, CommitAck> sender,
      BiConsumer<CommitAck, IntentTimes> committed) {
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

  /** How many of them are for this worker. */
  int size(WorkerId worker) {
    return counts.of(worker);
  }
}

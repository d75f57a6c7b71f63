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
   * Queues an ack, in the order of {@code asOfIndex}; one that is asked for again may come later.
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
   * Sends the acks that rest on durable entries only, in order, up to the first that the gate holds
   * back.
   *
   * @param gate what they wait for besides
   * @param committed called for each intent that has become an entry, after its ack was sent
   * @return how many acks were sent
   */
  int release(
      long durableIndex,
      AckGate gate,
      BiConsumer<WorkerId, CommitAck> sender,
      BiConsumer<CommitAck, IntentTimestamps> committed) {
    int released = 0;
    while (true) {
      OldestAck oldest = oldest(durableIndex);
      if (oldest == null || !gate.admits(oldest.worker(), oldest.index())) {
        return released;
      }
      Waiting next = waiting.removeFirst();
      byIntent.remove(next.ack().intent());
      counts.decrement(next.worker());
      sender.accept(next.worker(), next.ack());
      if (next.times() != null) {
        committed.accept(next.ack(), next.times());
      }
      released++;
    }
  }

  /** The next ack, if it rests on durable entries only; else null. */
  @Nullable OldestAck oldest(long durableIndex) {
    Waiting next = waiting.peekFirst();
    return next == null || next.ack().asOfIndex() > durableIndex
        ? null
        : new OldestAck(next.worker(), next.ack().asOfIndex());
  }

  int size() {
    return waiting.size();
  }

  /** How many of the waiting acks are for this worker. */
  int size(WorkerId worker) {
    return counts.of(worker);
  }
}

package io.hypersync.leader.sequencer;

import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.quota.UnrequestedChunks;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import java.util.List;
import java.util.Set;

/**
 * Decides what each worker may have waiting here: how many intents and how much heap they take
 * (6.3.1), how many intents and bytes it may send per second (12.5), and how many chunks it may
 * send before an intent mentions them. Only new intents are subject to it: sending one again costs
 * nothing. Used on the agent's thread only.
 */
final class IntentAdmission {
  private static final long NS_PER_MS = 1_000_000;

  private final LeaderConfig config;
  private final IntentQueue queue;
  private final AckQueue acks;
  private final QuotaViolations violations;
  private final IntentRates rates;
  private final UnrequestedChunks unrequested;

  /** What becomes of a new intent. */
  sealed interface Decision {
    /** It goes on; its worker's tokens are taken. */
    record Admitted() implements Decision {}

    /** Its worker has its share of intents waiting: EAGAIN. */
    record NoPlace() implements Decision {}

    /** Its worker sends too fast: RATE_LIMITED. */
    record TooFast(int retryAfterMs) implements Decision {}
  }

  /**
   * Starts with nothing taken.
   *
   * @param queue the intents that wait for chunks or for their turn
   * @param acks the answers that wait for the disk
   * @param violations counts what exceeded a quota
   */
  IntentAdmission(
      LeaderConfig config, IntentQueue queue, AckQueue acks, QuotaViolations violations) {
    this.config = config;
    this.queue = queue;
    this.acks = acks;
    this.violations = violations;
    this.rates = new IntentRates(config.rateLimits());
    this.unrequested = new UnrequestedChunks(config.quotas().unrequestedBytes());
  }

  /** Intent rates by worker; for status reports. */
  IntentRates rates() {
    return rates;
  }

  /**
   * Decides on a new intent.
   *
   * @param bytes of its payload
   */
  Decision decide(WorkerId worker, long bytes, long nowNs) {
    if (isOverQuota(worker)) {
      return new Decision.NoPlace();
    }
    long waitNs = rates.take(worker, bytes, nowNs);
    return waitNs > 0
        ? new Decision.TooFast((int) Math.ceilDiv(waitNs, NS_PER_MS))
        : new Decision.Admitted();
  }

  /**
   * Whether the heap has room for an admitted intent: the same rule as for places, since an op may
   * name 4,096 chunks. One intent of each worker may always wait, however heavy it is.
   */
  boolean hasRoomFor(PendingIntent intent) {
    long own = queue.bytes(intent.origin());
    long left = config.quotas().pendingIntentBytes() - queue.bytes();
    if (own == 0 || own + intent.heapBytes() <= left) {
      return true;
    }
    violations.add(Quota.PENDING_INTENT_BYTES, intent.origin());
    return false;
  }

  /**
   * Whether to store a chunk: if an intent waits for it, or as far as the worker's credit for
   * unrequested chunks goes. A refused chunk is requested once an intent needs it.
   */
  boolean takesChunk(WorkerId worker, ChunkPut put, long nowNs) {
    if (queue.awaits(put.hash()) || unrequested.takes(worker, put.bytes().length, nowNs)) {
      return true;
    }
    violations.add(Quota.UNREQUESTED_CHUNKS, worker);
    return false;
  }

  /**
   * Releases the credit of unrequested chunks that arrived before the intent that mentions them.
   */
  void giveBack(PendingIntent intent, Set<Hash> missing) {
    int here = 0;
    long bytes = 0;
    for (ChunkRef ref : intent.op().chunks()) {
      if (intent.inlinePayload().length == 0 && !missing.contains(ref.hash())) {
        here++;
        bytes += ref.length();
      }
    }
    if (here > 0) {
      unrequested.mentioned(intent.origin(), here, bytes);
    }
  }

  /**
   * The chunks that the worker sends along; empty if some of its chunks were dropped recently, so
   * that every missing one is requested.
   */
  List<Hash> uploading(SubmitIntent submit, WorkerId worker, long nowNs) {
    return unrequested.hasDropped(worker, nowNs) ? List.of() : submit.uploading();
  }

  /**
   * Whether a worker has as many intents waiting as there are places left. So one flooding worker
   * gets half of all places, two get a third each, and n leave one place in n + 1 for the next
   * worker, without knowing how many workers there are (the dynamic threshold of Choudhury and
   * Hahne, "Dynamic queue length thresholds for shared-memory packet switches").
   */
  private boolean isOverQuota(WorkerId worker) {
    int left = config.maxPendingIntents() - queue.size() - acks.size();
    return queue.size(worker) + acks.size(worker) >= left;
  }
}

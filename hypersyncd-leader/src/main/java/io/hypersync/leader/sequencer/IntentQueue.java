package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Admitted intents that wait for chunks or for their turn. Intents of one client stay in the order
 * of arrival, so one that waits for chunks delays only its own client (hypersync.md 6.3.1). A
 * client belongs to one worker, so taking turns between workers does not affect that order.
 *
 * <p>Used on the agent's thread only.
 */
final class IntentQueue {
  private final Map<ClientId, ArrayDeque<PendingIntent>> clientQueues = new HashMap<>();
  private final Map<IntentId, PendingIntent> byId = new LinkedHashMap<>();
  private final Map<Hash, Set<PendingIntent>> waitingFor = new HashMap<>();
  private final FairIntentQueue ready = new FairIntentQueue();
  private final WorkerCounts counts = new WorkerCounts();
  private final Map<WorkerId, Long> bytesOf = new HashMap<>();
  private long bytes;

  int size() {
    return byId.size();
  }

  /** Whether the queue holds exactly one intent, which is ready. */
  boolean isLone() {
    return byId.size() == 1 && byId.values().iterator().next().missing().isEmpty();
  }

  /** How many intents of this worker are queued. */
  int size(WorkerId worker) {
    return counts.of(worker);
  }

  /** About how many bytes of heap the queued intents take. */
  long bytes() {
    return bytes;
  }

  /** About how many bytes of heap this worker's queued intents take. */
  long bytes(WorkerId worker) {
    return bytesOf.getOrDefault(worker, 0L);
  }

  /** Whether an intent waits for this chunk. */
  boolean awaits(Hash chunk) {
    return waitingFor.containsKey(chunk);
  }

  @Nullable PendingIntent find(IntentId id) {
    return byId.get(id);
  }

  /** Adds an intent; the chunks in {@code missing} must arrive before it can be sequenced. */
  void add(PendingIntent intent, Set<Hash> missing) {
    byId.put(intent.id(), intent);
    counts.increment(intent.origin());
    weigh(intent, intent.heapBytes());
    intent.missing().addAll(missing);
    for (Hash hash : missing) {
      waitingFor.computeIfAbsent(hash, _ -> new LinkedHashSet<>()).add(intent);
    }
    ArrayDeque<PendingIntent> clientQueue =
        clientQueues.computeIfAbsent(intent.id().client(), _ -> new ArrayDeque<>());
    clientQueue.addLast(intent);
    if (clientQueue.size() == 1 && missing.isEmpty()) {
      ready.add(intent);
    }
  }

  /**
   * A chunk is verified and in the store.
   *
   * @return intents whose op states another length for it; they never become ready and the caller
   *     must remove them
   */
  List<PendingIntent> arrived(Hash hash, int length, long nowNs) {
    Set<PendingIntent> waiting = waitingFor.remove(hash);
    if (waiting == null) {
      return List.of();
    }
    List<PendingIntent> wrong = new ArrayList<>();
    for (PendingIntent intent : waiting) {
      if (intent.mentions(hash, length)) {
        intent.missing().remove(hash);
        if (intent.missing().isEmpty()) {
          intent.times().complete(nowNs);
        }
        makeReadyIfFirst(intent);
      } else {
        wrong.add(intent);
      }
    }
    return wrong;
  }

  /** Names every chunk of every queued intent. */
  void forEachChunk(Consumer<Hash> chunk) {
    byId.values().forEach(intent -> intent.op().chunks().forEach(ref -> chunk.accept(ref.hash())));
  }

  /** How long the oldest intent waits, in nanoseconds; negative if there is none. */
  long waitingNs(long nowNs) {
    long longest = -1;
    for (PendingIntent intent : byId.values()) {
      longest = Math.max(longest, nowNs - intent.times().receivedNs());
    }
    return longest;
  }

  /** The intents that wait for this chunk. */
  List<PendingIntent> waitingFor(Hash hash) {
    return List.copyOf(waitingFor.getOrDefault(hash, Set.of()));
  }

  /** The next intent that can be sequenced, or null. It stays queued until {@link #remove}. */
  @Nullable PendingIntent pollReady() {
    return ready.poll();
  }

  /** Removes an intent; the next one of its client can become ready. */
  void remove(PendingIntent intent) {
    if (byId.remove(intent.id()) != null) {
      counts.decrement(intent.origin());
      weigh(intent, -intent.heapBytes());
    }
    for (Hash hash : intent.missing()) {
      Set<PendingIntent> waiting = waitingFor.get(hash);
      if (waiting != null) {
        waiting.remove(intent);
        if (waiting.isEmpty()) {
          waitingFor.remove(hash);
        }
      }
    }
    ArrayDeque<PendingIntent> clientQueue = clientQueues.get(intent.id().client());
    if (clientQueue == null) {
      return;
    }
    boolean wasFirst = clientQueue.peekFirst() == intent;
    clientQueue.remove(intent);
    if (clientQueue.isEmpty()) {
      clientQueues.remove(intent.id().client());
    } else if (wasFirst) {
      makeReadyIfFirst(clientQueue.getFirst());
    }
  }

  /**
   * Removes intents that lack chunks and were not touched since {@code beforeNs} (9.3.1(3)).
   *
   * @return the removed intents
   */
  List<PendingIntent> expire(long beforeNs) {
    List<PendingIntent> expired = new ArrayList<>();
    for (PendingIntent intent : byId.values()) {
      if (!intent.missing().isEmpty() && intent.touchedNs() - beforeNs < 0) {
        expired.add(intent);
      }
    }
    expired.forEach(this::remove);
    return expired;
  }

  private void weigh(PendingIntent intent, long change) {
    bytes += change;
    bytesOf.merge(intent.origin(), change, (a, b) -> a + b == 0 ? null : Long.valueOf(a + b));
  }

  private void makeReadyIfFirst(PendingIntent intent) {
    ArrayDeque<PendingIntent> clientQueue = clientQueues.get(intent.id().client());
    if (intent.missing().isEmpty() && clientQueue != null && clientQueue.peekFirst() == intent) {
      ready.add(intent);
    }
  }
}

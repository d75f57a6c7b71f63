package io.hypersync.leader.sequencer;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which intent became which log entry (hypersync.md 8.2). Rebuilt from the log at start.
 *
 * <p>Retention is by generations: a generation is closed when it holds {@code entries} intents and
 * is {@code ttlNs} old, and forgotten when the next one is closed. So every intent is remembered
 * for at least INTENT_DEDUPE_TTL or INTENT_DEDUPE_ENTRIES, whichever is larger.
 */
public final class IntentIndex {
  /** INTENT_DEDUPE_ENTRIES. */
  public static final long DEFAULT_ENTRIES = 10_000_000;

  /** INTENT_DEDUPE_TTL in nanoseconds. */
  public static final long DEFAULT_TTL_NS = 24L * 3600 * 1_000_000_000;

  /** "Not in the log." */
  public static final long NOT_FOUND = SequenceMap.NONE;

  private final long entries;
  private final long ttlNs;
  private Generation current = new Generation();
  private Generation previous = new Generation();

  /** An empty index with the given retention. */
  public IntentIndex(long entries, long ttlNs) {
    this.entries = entries;
    this.ttlNs = ttlNs;
  }

  /** The log index of the intent, or {@link #NOT_FOUND}. */
  public long find(IntentId intent) {
    long found = current.find(intent);
    return found != NOT_FOUND ? found : previous.find(intent);
  }

  /**
   * Remembers a committed intent.
   *
   * @param origin the worker that it came from: the client belongs to it
   * @param committedAtNs the entry's leader time; generations age by it, so a replay of the log
   *     gives the same retention
   */
  public void add(IntentId intent, WorkerId origin, long logIndex, long committedAtNs) {
    if (current.size == 0) {
      current.sinceNs = committedAtNs;
    } else if (current.size >= entries && committedAtNs - current.sinceNs >= ttlNs) {
      previous = current;
      current = new Generation();
      current.sinceNs = committedAtNs;
    }
    current.add(intent, origin, logIndex);
  }

  /** Whether the client is unknown, or this worker's. */
  public boolean mayBelongTo(ClientId client, WorkerId worker) {
    return current.mayBelongTo(client, worker) && previous.mayBelongTo(client, worker);
  }

  /** How many intents are remembered. */
  public long size() {
    return current.size + previous.size;
  }

  /** The intents of one client, and whose it is. */
  private record Client(WorkerId worker, SequenceMap indexes) {}

  private static final class Generation {
    private final Map<ClientId, Client> clients = new HashMap<>();
    private long size;
    private long sinceNs;

    long find(IntentId intent) {
      @Nullable Client client = clients.get(intent.client());
      return client == null ? NOT_FOUND : client.indexes.get(intent.seqNo());
    }

    boolean mayBelongTo(ClientId id, WorkerId worker) {
      @Nullable Client client = clients.get(id);
      return client == null || client.worker.equals(worker);
    }

    void add(IntentId intent, WorkerId origin, long logIndex) {
      clients
          .computeIfAbsent(intent.client(), _ -> new Client(origin, new SequenceMap()))
          .indexes
          .put(intent.seqNo(), logIndex);
      size++;
    }
  }
}

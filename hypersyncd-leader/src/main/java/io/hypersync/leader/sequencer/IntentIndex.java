package io.hypersync.leader.sequencer;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps committed intents to their log indexes, for deduplication (hypersync.md 8.2). Rebuilt from
 * the log at start. Single-threaded.
 *
 * <p>Retention is by generations: a generation is closed when it holds {@code entries} intents and
 * is {@code ttlNs} old, and forgotten when the next one is closed. So every intent is remembered
 * for at least INTENT_DEDUPE_TTL or INTENT_DEDUPE_ENTRIES, whichever is larger, unless heap is
 * short: a generation is also closed when it takes half of {@code maxBytes}.
 *
 * <p>A forgotten intent could be committed again. So a caller that does not find an intent must
 * check {@link #forgottenThrough} and whether the worker may still ask about intents that old
 * ({@link ForgottenIntents}).
 */
public final class IntentIndex {
  /** INTENT_DEDUPE_ENTRIES. */
  public static final long DEFAULT_ENTRIES = 10_000_000;

  /** INTENT_DEDUPE_TTL in nanoseconds. */
  public static final long DEFAULT_TTL_NS = 24L * 3600 * 1_000_000_000;

  /** The intent is not in the log, or was forgotten. */
  public static final long NOT_FOUND = SequenceMap.NONE;

  private final long entries;
  private final long ttlNs;
  private final long maxBytes;
  private long forgottenThrough;
  private Generation current = new Generation();
  private Generation previous = new Generation();

  /** An empty index with the given retention and no limit on heap. */
  public IntentIndex(long entries, long ttlNs) {
    this(entries, ttlNs, Long.MAX_VALUE);
  }

  /**
   * An empty index with the given retention.
   *
   * @param maxBytes about how many bytes of heap it may take, at the expense of retention
   */
  public IntentIndex(long entries, long ttlNs, long maxBytes) {
    this.entries = entries;
    this.ttlNs = ttlNs;
    this.maxBytes = maxBytes;
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
    } else if ((current.size >= entries && committedAtNs - current.sinceNs >= ttlNs)
        || current.bytes >= maxBytes / 2) {
      forgottenThrough = Math.max(forgottenThrough, previous.lastIndex);
      previous = current;
      current = new Generation();
      current.sinceNs = committedAtNs;
    }
    current.add(intent, origin, logIndex);
  }

  /** Whether the client is unknown or belongs to this worker. */
  public boolean mayBelongTo(ClientId client, WorkerId worker) {
    return current.mayBelongTo(client, worker) && previous.mayBelongTo(client, worker);
  }

  /** Intents that became entries up to this index may have been forgotten; 0 if none was. */
  public long forgottenThrough() {
    return forgottenThrough;
  }

  /** About how many bytes of heap the index takes. */
  public long heapBytes() {
    return current.bytes + previous.bytes;
  }

  /** How many intents are remembered. */
  public long size() {
    return current.size + previous.size;
  }

  /** The log indexes of one client's intents by sequence number, and the client's worker. */
  private record Client(WorkerId worker, SequenceMap indexes) {}

  private static final class Generation {
    /** Heap of a map entry, the client id and the record. */
    private static final int CLIENT_BYTES = 112;

    private final Map<ClientId, Client> clients = new HashMap<>();
    private long size;
    private long bytes;
    private long lastIndex;
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
      @Nullable Client client = clients.get(intent.client());
      if (client == null) {
        client = new Client(origin, new SequenceMap());
        clients.put(intent.client(), client);
        bytes += CLIENT_BYTES + client.indexes.heapBytes();
      }
      long before = client.indexes.heapBytes();
      client.indexes.put(intent.seqNo(), logIndex);
      bytes += client.indexes.heapBytes() - before;
      lastIndex = logIndex;
      size++;
    }
  }
}

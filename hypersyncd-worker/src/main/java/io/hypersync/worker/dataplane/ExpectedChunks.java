package io.hypersync.worker.dataplane;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Chunks that entries wait for and that the leader sends unasked. It sends them in the order of the
 * entries. So one of which nothing more comes after a later one has begun was lost; and so were all
 * of them when nothing at all comes for a while. And none is waited for longer than a limit,
 * whatever else comes: somebody always asks. Single-threaded.
 */
public final class ExpectedChunks {
  /**
   * So many are given up at a time when nothing comes: a pause of the leader or of the network is
   * not to make it send everything twice.
   */
  private static final int MOST_AT_ONCE = 16;

  /** In the order in which they are sent. */
  private final Map<Hash, Expected> chunks = new LinkedHashMap<>();

  private long lastOrder;

  /** The last one in order of which something has arrived. */
  private long newestOrder;

  /** When something was expected anew, or has arrived. */
  private long activeNs;

  private static final class Expected {
    private final ChunkRef chunk;
    private final long order;
    private final long sinceNs;
    private long overtakenNs;
    private boolean isOvertaken;

    Expected(ChunkRef chunk, long order, long sinceNs) {
      this.chunk = chunk;
      this.order = order;
      this.sinceNs = sinceNs;
    }
  }

  /**
   * How long to wait.
   *
   * @param silenceNs how long nothing at all may come, in nanoseconds
   * @param overtakenNs how much later a chunk may come than the begin of a later one
   * @param longestNs how long a chunk is waited for in any case
   */
  public record Patience(long silenceNs, long overtakenNs, long longestNs) {}

  /** The leader sends these. What was expected before is not waited for any longer by that. */
  public void expect(List<ChunkRef> sent, long nowNs) {
    if (chunks.isEmpty() && !sent.isEmpty()) {
      activeNs = nowNs;
    }
    for (ChunkRef chunk : sent) {
      lastOrder++;
      chunks.putIfAbsent(chunk.hash(), new Expected(chunk, lastOrder, nowNs));
    }
  }

  /** A part of a chunk has arrived. */
  public void begun(Hash chunk, long nowNs) {
    Expected expected = chunks.get(chunk);
    if (expected != null) {
      newestOrder = Math.max(newestOrder, expected.order);
      activeNs = nowNs;
    }
  }

  /** Something has arrived in whose order the expected chunks come, too. */
  public void active(long nowNs) {
    activeNs = nowNs;
  }

  /** A chunk is here, or is asked for: it is expected no more. */
  public void ended(Hash chunk, long nowNs) {
    begun(chunk, nowNs);
    chunks.remove(chunk);
  }

  /** Whether this chunk is expected. */
  public boolean isExpected(Hash chunk) {
    return chunks.containsKey(chunk);
  }

  /** Whether nothing is expected. */
  public boolean isEmpty() {
    return chunks.isEmpty();
  }

  /** Those that do not come any more, some at a time; they are expected no more. */
  public List<ChunkRef> overdue(Patience patience, long nowNs) {
    List<ChunkRef> overdue = new ArrayList<>();
    boolean isSilent = nowNs - activeNs >= patience.silenceNs;
    if (isSilent) {
      activeNs = nowNs;
    }
    for (Iterator<Expected> each = chunks.values().iterator(); each.hasNext(); ) {
      Expected next = each.next();
      boolean isLate = isSilent || nowNs - next.sinceNs >= patience.longestNs;
      if (overdue.size() == MOST_AT_ONCE || (!isLate && next.order >= newestOrder)) {
        break; // and so are all behind it
      }
      if (isLate || isLost(next, patience, nowNs)) {
        overdue.add(next.chunk);
        each.remove();
      }
    }
    return overdue;
  }

  private static boolean isLost(Expected chunk, Patience patience, long nowNs) {
    if (!chunk.isOvertaken) {
      chunk.isOvertaken = true;
      chunk.overtakenNs = nowNs;
    }
    return nowNs - chunk.overtakenNs >= patience.overtakenNs;
  }

  /** The connection has ended. */
  public void clear() {
    chunks.clear();
  }
}

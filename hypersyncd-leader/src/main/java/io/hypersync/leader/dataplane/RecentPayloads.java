package io.hypersync.leader.dataplane;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that the newest entries mention and do not carry, and who has written them. Entries
 * that are older are for workers which catch up: they ask for what they lack.
 */
final class RecentPayloads {
  /** Of 64 KiB each they would be 1 GiB; here they take about 1 MiB. */
  private static final int MOST_CHUNKS = 16_384;

  private final Map<Long, Payload> byIndex = new HashMap<>();
  private final ArrayDeque<Payload> oldestFirst = new ArrayDeque<>();
  private int chunks;
  private long firstIndex;

  /**
   * The chunks of one entry.
   *
   * @param writer who has sent them to the leader, and so has them
   * @param isNew whether all of them were uploaded lately, so that others do not have them
   */
  record Payload(long index, WorkerId writer, List<ChunkRef> chunks, boolean isNew) {}

  /**
   * Nothing is known yet.
   *
   * @param nextIndex of the first entry that may be added
   */
  RecentPayloads(long nextIndex) {
    firstIndex = nextIndex;
  }

  void add(Payload payload) {
    byIndex.put(payload.index, payload);
    oldestFirst.addLast(payload);
    chunks += payload.chunks.size();
    while (chunks > MOST_CHUNKS && oldestFirst.size() > 1) {
      Payload oldest = oldestFirst.removeFirst();
      byIndex.remove(oldest.index);
      chunks -= oldest.chunks.size();
      firstIndex = oldest.index + 1;
    }
  }

  /**
   * Whether one of these entries, or a later one, may mention chunks that it does not carry, and
   * everything is known of them. Most entries mention none.
   */
  boolean hasAny(long from) {
    Payload newest = oldestFirst.peekLast();
    return newest != null && from >= firstIndex && from <= newest.index;
  }

  /** What the entry mentions and does not carry; null if that is nothing. */
  @Nullable Payload get(long index) {
    return byIndex.get(index);
  }
}

package io.hypersync.leader.session;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Which entries go to a worker without their payloads, because the worker has sent these itself and
 * keeps them until the entry comes ({@code Feature.KEPT_PAYLOADS}). One of these belongs to one
 * connection: what was sent on an earlier one, perhaps by another process, is not known here. What
 * is not known goes with its payload, which is always right; so may be forgotten what is too much.
 * On the agent's thread.
 */
final class KeptPayloads {
  /** More than a worker has under way, unless it sends what is refused. */
  static final int MOST = 1_024;

  /** The intents that are no entries yet, the oldest first. */
  private final LinkedHashSet<IntentId> intents = new LinkedHashSet<>();

  /** Entries that they have become and that are not sent yet, in order. */
  private final ArrayDeque<Kept> entries = new ArrayDeque<>();

  private record Kept(long index, int bytes) {}

  /** An intent has come on this connection, with its payload. */
  void submitted(IntentId intent) {
    if (intents.add(intent) && intents.size() > MOST) {
      intents.removeFirst();
    }
  }

  /** An intent of this worker has become an entry. */
  void sequenced(LogEntry entry) {
    int bytes = entry.inlinePayload().length;
    if (bytes > 0 && intents.remove(entry.intent()) && entries.size() < MOST) {
      entries.addLast(new Kept(entry.index(), bytes));
    }
  }

  /**
   * What is sent for these entries, each of which is sent once.
   *
   * @param from the index of the first one; the others follow
   * @param encoded as they are in the log; not changed
   */
  List<byte[]> sent(long from, List<byte[]> encoded) {
    if (entries.isEmpty() || entries.getFirst().index >= from + encoded.size()) {
      return encoded;
    }
    List<byte[]> sent = new ArrayList<>(encoded.size());
    long index = from;
    for (byte[] entry : encoded) {
      Kept kept = entries.peekFirst();
      if (kept != null && kept.index == index) {
        entries.removeFirst();
        sent.add(LogEntryCodec.withoutPayload(entry, kept.bytes));
      } else {
        sent.add(entry);
      }
      index++;
    }
    return sent;
  }
}

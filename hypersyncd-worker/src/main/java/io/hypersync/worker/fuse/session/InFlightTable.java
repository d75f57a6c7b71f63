package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests that the kernel waits for, by their number. Once closed, a new request is answered
 * with EIO at once, because no other code would answer it. Thread-safe.
 */
final class InFlightTable {
  /**
   * Most interrupts kept. One of a request that was answered already stays until newer ones evict
   * it.
   */
  private static final int MAX_EARLY = 1024;

  private final Set<RequestId> early =
      Collections.newSetFromMap(
          Collections.synchronizedMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<RequestId, Boolean> eldest) {
                  return size() > MAX_EARLY;
                }
              }));

  private final ConcurrentHashMap<RequestId, PendingReply> replies = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Adds a request; returns false, and answers it with EIO, if the session is ending. */
  boolean add(PendingReply reply) {
    replies.put(reply.unique(), reply);
    // Checked after adding: either this sees {@code closed}, or close() sees the request.
    if (closed) {
      reply.abandon(Errno.EIO);
      return false;
    }
    return true;
  }

  /** Removes a request that is being answered. */
  void remove(PendingReply reply) {
    replies.remove(reply.unique(), reply);
  }

  /**
   * Handles an interrupt of a request. The interrupt may have overtaken the request, which another
   * reader has not handed to the handler yet; then {@link #handedOver} reports the interrupt later.
   *
   * <p>This method first notes the interrupt and then looks the request up, while {@link
   * #handedOver} first marks the request and then looks for a note: so at least one of them sees
   * the other, and only one can remove the note.
   *
   * @return the request, if the handler must be called now; else null
   */
  @Nullable PendingReply interruptedNow(RequestId unique) {
    early.add(unique);
    PendingReply reply = replies.get(unique);
    return reply != null && reply.isWithHandler() && early.remove(unique) ? reply : null;
  }

  /**
   * The handler has the request now.
   *
   * @return whether it must be called for an interrupt that came before
   */
  boolean handedOver(PendingReply reply) {
    reply.handedOver();
    return !early.isEmpty() && early.remove(reply.unique()) && replies.containsKey(reply.unique());
  }

  int size() {
    return replies.size();
  }

  /** Answers all requests, and those that come later, with EIO. */
  void close() {
    closed = true;
    for (PendingReply reply : List.copyOf(replies.values())) {
      reply.abandon(Errno.EIO);
    }
  }
}

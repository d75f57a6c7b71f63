package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests that the kernel waits for, by their number. Once closed, what comes in is answered
 * EIO at once: nobody would answer it later.
 */
final class InFlightTable {
  /** Interrupts of requests that were answered meanwhile stay here until so many others came. */
  private static final int MAX_EARLY = 1024;

  private final Set<Long> early =
      Collections.newSetFromMap(
          Collections.synchronizedMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
                  return size() > MAX_EARLY;
                }
              }));

  private final ConcurrentHashMap<Long, PendingReply> replies = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Enters a request; false, and answered EIO, when the session is ending. */
  boolean add(PendingReply reply) {
    replies.put(reply.unique(), reply);
    // Looked at after entering: either this sees closed, or closing sees the entry.
    if (closed) {
      reply.abandon(Errno.EIO);
      return false;
    }
    return true;
  }

  /** Takes out a request that is being answered. */
  void remove(PendingReply reply) {
    replies.remove(reply.unique(), reply);
  }

  /**
   * An interrupt of a request has come. It may have overtaken the request on its way to the
   * handler, in another reader's hands; then {@link #handedOver} says so later.
   *
   * <p>Noted first and looked up then, while the other side marks first and looks at the notes
   * then: so at least one of them finds it, and only one can take it.
   *
   * @return the request, if the handler is to be told now
   */
  @Nullable PendingReply interruptedNow(long unique) {
    early.add(unique);
    PendingReply reply = replies.get(unique);
    return reply != null && reply.isWithHandler() && early.remove(unique) ? reply : null;
  }

  /**
   * The handler has the request.
   *
   * @return whether it is to be told of an interrupt that came before
   */
  boolean handedOver(PendingReply reply) {
    reply.handedOver();
    return !early.isEmpty() && early.remove(reply.unique()) && replies.containsKey(reply.unique());
  }

  int size() {
    return replies.size();
  }

  /** Answers all EIO, and those that come later. */
  void close() {
    closed = true;
    for (PendingReply reply : List.copyOf(replies.values())) {
      reply.abandon(Errno.EIO);
    }
  }
}

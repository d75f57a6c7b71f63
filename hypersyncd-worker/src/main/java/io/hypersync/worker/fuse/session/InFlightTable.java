package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The requests that the kernel waits for, by their number. Once closed, what comes in is answered
 * EIO at once: nobody would answer it later.
 */
final class InFlightTable {
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

  /** Whether the kernel waits for it and the handler has it. */
  boolean isWithHandler(long unique) {
    PendingReply reply = replies.get(unique);
    return reply != null && reply.isWithHandler();
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

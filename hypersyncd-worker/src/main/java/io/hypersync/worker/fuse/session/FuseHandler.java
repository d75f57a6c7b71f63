package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.protocol.FuseRequest;

/**
 * What gives the kernel's requests a meaning.
 *
 * <p>Called by several reader threads at once. A call that waits keeps its reader from reading: a
 * handler that must wait answers later, from another thread. What it throws is answered EIO.
 */
public interface FuseHandler {
  /** Answers the request through {@code reply}, now or later. */
  void handle(FuseRequest request, FuseReply reply);

  /**
   * The caller of the request got a signal, of whatever kind; of those that follow the kernel says
   * nothing. It goes on waiting for the answer; a handler that waits for something may give up and
   * answer EINTR. Called only after {@link #handle} has returned and while the request is
   * unanswered, though the answer may be given meanwhile. Reads through the page cache are never
   * interrupted: their callers wait for the page, not for the request.
   *
   * @param unique the request's number
   * @param pid the thread that made it, as its header says
   */
  void interrupted(long unique, int pid);
}

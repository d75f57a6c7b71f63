package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestId;

/**
 * Serves the kernel's requests.
 *
 * <p>Called by several reader threads at once. A call that blocks keeps its reader from reading: a
 * handler that must wait replies later, from another thread. If it throws, the request is answered
 * with EIO.
 */
public interface FuseHandler {
  /** Handles the request; replies through {@code reply}, now or later. */
  void handle(FuseRequest request, FuseReply reply);

  /**
   * The caller of the request has received a signal, of any kind; the kernel reports only the first
   * one. The caller goes on waiting for the reply; a handler that waits for something may give up
   * and reply EINTR. Called only after {@link #handle} has returned and while the request is
   * unanswered, though a reply may be given concurrently. Reads through the page cache are never
   * interrupted: their callers wait for the page, not for the request.
   *
   * @param unique the request's number
   * @param pid the thread that made it, as in its header
   */
  void interrupted(RequestId unique, int pid);
}

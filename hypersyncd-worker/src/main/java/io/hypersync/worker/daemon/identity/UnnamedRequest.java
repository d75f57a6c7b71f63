package io.hypersync.worker.daemon.identity;

import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A request that waits for its caller's name. Whoever takes it first passes it on. Thread-safe. */
final class UnnamedRequest {
  /** What is to be passed on; nothing once it was taken, so that what it writes is not kept. */
  private record Passenger(FuseRequest request, FuseReply reply) {}

  private final RequestHeader header;
  private final AtomicReference<@Nullable Passenger> passenger;

  /** When it goes on whatever is known of its caller, in nanoseconds of the monotonic clock. */
  private final long deadlineNs;

  private boolean isInterrupted;
  private boolean isHandedOver;

  UnnamedRequest(FuseRequest request, FuseReply reply, long deadlineNs) {
    this.header = request.header();
    this.passenger = new AtomicReference<>(new Passenger(request, reply));
    this.deadlineNs = deadlineNs;
  }

  RequestHeader header() {
    return header;
  }

  long deadlineNs() {
    return deadlineNs;
  }

  boolean isTaken() {
    return passenger.get() == null;
  }

  /**
   * Passes the request on, made by this agent, unless somebody has done so.
   *
   * @param failed what answers the request if the filesystem throws
   * @return whether it was passed on
   */
  boolean passOn(CallerAgent agent, FuseHandler filesystem, Failure failed) {
    Passenger taken = passenger.getAndSet(null);
    if (taken == null) {
      return false;
    }
    try {
      filesystem.handle(taken.request().by(agent), taken.reply());
    } catch (Throwable e) { // the thread is needed for other requests
      failed.failed(header, taken.reply(), e);
    }
    if (handedOver()) {
      filesystem.interrupted(header.unique(), header.pid());
    }
    return true;
  }

  /** Answers a request with which the filesystem has failed. */
  @FunctionalInterface
  interface Failure {
    void failed(RequestHeader header, FuseReply reply, Throwable why);
  }

  private synchronized boolean handedOver() {
    isHandedOver = true;
    return isInterrupted;
  }

  /**
   * The caller has received a signal.
   *
   * @return whether the filesystem has the request already, and has to be told
   */
  synchronized boolean interrupted() {
    isInterrupted = !isHandedOver;
    return isHandedOver;
  }
}

package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a session. Thread-safe; each is exact once the session has ended. */
public final class FuseCounters {
  private final EnumMap<FuseOpcode, LongAdder> requests = new EnumMap<>(FuseOpcode.class);
  private final LongAdder replies = new LongAdder();
  private final LongAdder errorReplies = new LongAdder();
  private final LongAdder doubleReplies = new LongAdder();
  private final LongAdder lateReplies = new LongAdder();
  private final LongAdder refusedReplies = new LongAdder();
  private final LongAdder malformedRequests = new LongAdder();
  private final LongAdder handlerFailures = new LongAdder();
  private final LongAdder interrupts = new LongAdder();
  private final LongAdder notifications = new LongAdder();

  /** Counters that are all 0. */
  public FuseCounters() {
    for (FuseOpcode opcode : FuseOpcode.values()) {
      requests.put(opcode, new LongAdder());
    }
  }

  /**
   * The counters at one moment.
   *
   * @param requests requests to the handler, by opcode; those at 0 are left out
   * @param replies replies that the kernel accepted, errors included
   * @param errorReplies those of them that were errors
   * @param doubleReplies replies dropped because the request had one already
   * @param lateReplies replies to requests that the kernel no longer waited for
   * @param refusedReplies replies that the kernel refused as malformed
   * @param malformedRequests messages that could not be decoded
   * @param handlerFailures exceptions thrown by the handler
   * @param interrupts interrupts of requests in flight
   * @param notifications notifications that the kernel accepted
   */
  public record Snapshot(
      Map<FuseOpcode, Long> requests,
      long replies,
      long errorReplies,
      long doubleReplies,
      long lateReplies,
      long refusedReplies,
      long malformedRequests,
      long handlerFailures,
      long interrupts,
      long notifications) {}

  public Snapshot snapshot() {
    EnumMap<FuseOpcode, Long> byOpcode = new EnumMap<>(FuseOpcode.class);
    requests.forEach(
        (opcode, count) -> {
          if (count.sum() > 0) {
            byOpcode.put(opcode, count.sum());
          }
        });
    return new Snapshot(
        byOpcode,
        replies.sum(),
        errorReplies.sum(),
        doubleReplies.sum(),
        lateReplies.sum(),
        refusedReplies.sum(),
        malformedRequests.sum(),
        handlerFailures.sum(),
        interrupts.sum(),
        notifications.sum());
  }

  /** A request for the handler. */
  public void request(FuseOpcode opcode) {
    LongAdder count = requests.get(opcode);
    if (count != null) {
      count.increment();
    }
  }

  void reply(boolean error) {
    replies.increment();
    if (error) {
      errorReplies.increment();
    }
  }

  void doubleReply() {
    doubleReplies.increment();
  }

  void lateReply() {
    lateReplies.increment();
  }

  void refusedReply() {
    refusedReplies.increment();
  }

  void malformedRequest() {
    malformedRequests.increment();
  }

  /** The handler has thrown an exception. */
  public void handlerFailure() {
    handlerFailures.increment();
  }

  /** A request in flight was interrupted. */
  public void interrupt() {
    interrupts.increment();
  }

  void notification() {
    notifications.increment();
  }
}

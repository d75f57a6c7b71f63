package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseCounters;
import io.hypersync.worker.fuse.session.FuseHandler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands requests to the filesystem and waits for their answers, on the caller's thread.
 * Thread-safe.
 */
final class RequestLine {
  private static final Logger LOG = LoggerFactory.getLogger(RequestLine.class);

  /** How often a caller who waits is looked after: whether a signal has come, or the mount ends. */
  private static final long LOOK_MS = 100;

  /** Far from the kernel's numbers, which mounts of the past in this process have. */
  private static final long FIRST_NUMBER = 1L << 62;

  private final FuseHandler handler;
  private final FuseCounters counters;
  private final Interruption interruption;

  /** As the kernel counts: an odd number is that of an interrupt. */
  private static final int STEP = 2;

  private final AtomicLong numbers = new AtomicLong(FIRST_NUMBER);
  private final Set<BlockingReply> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  RequestLine(FuseHandler handler, FuseCounters counters, Interruption interruption) {
    this.handler = handler;
    this.counters = counters;
    this.interruption = interruption;
  }

  /** How many requests wait for an answer. */
  int inFlight() {
    return waiting.size();
  }

  /** Ends all requests, and those that come later, with EIO. */
  void close() {
    closed = true;
    waiting.forEach(reply -> reply.error(Errno.EIO));
  }

  /**
   * Makes a request and waits for its answer.
   *
   * @throws CallFailed if that is an error; EIO if the filesystem fails, or the mount ends
   */
  Answer ask(Caller caller, InodeNo node, FuseOpcode opcode, FuseOperation operation)
      throws CallFailed {
    RequestId unique = new RequestId(numbers.getAndAdd(STEP));
    BlockingReply reply = new BlockingReply(unique, Clock.SYSTEM.monotonicNs());
    RequestHeader header =
        new RequestHeader(unique, node, caller.uid(), caller.gid(), caller.pid(), opcode);
    counters.request(opcode);
    waiting.add(reply);
    try {
      // Looked at after adding: either this sees it, or close() sees the reply.
      if (closed) {
        throw new CallFailed(Errno.EIO);
      }
      handler.handle(new FuseRequest(header, operation), reply);
      Answer answer = awaited(reply, caller);
      if (answer instanceof Answer.Failed(Errno errno)) {
        throw new CallFailed(errno);
      }
      return answer;
    } catch (RuntimeException e) {
      counters.handlerFailure();
      LOG.error("{} failed", header, e);
      throw new CallFailed(Errno.EIO);
    } finally {
      waiting.remove(reply);
    }
  }

  private Answer awaited(BlockingReply reply, Caller caller) {
    boolean told = false;
    @Nullable Answer answer = reply.await(LOOK_MS);
    while (answer == null) {
      if (!told && interruption.hasCome()) {
        told = true;
        counters.interrupt();
        handler.interrupted(reply.unique(), caller.pid());
      }
      answer = reply.await(LOOK_MS);
    }
    return answer;
  }
}

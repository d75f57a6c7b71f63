package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.protocol.Decoded;
import io.hypersync.worker.fuse.protocol.FuseReplyEncoder;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.FuseRequestDecoder;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes a message and acts on it. Thread-safe if the handler is. */
final class RequestDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(RequestDispatcher.class);

  private final FuseRequestDecoder decoder;
  private final FuseHandler handler;
  private final InFlightTable inFlight;
  private final FuseCounters counters;
  private final MalformedRequestLog malformedRequests = new MalformedRequestLog();

  RequestDispatcher(
      FuseRequestDecoder decoder,
      FuseHandler handler,
      InFlightTable inFlight,
      FuseCounters counters) {
    this.decoder = decoder;
    this.handler = handler;
    this.inFlight = inFlight;
    this.counters = counters;
  }

  /** Handles one message that arrived on {@code channel}. Never throws. */
  void dispatch(ByteBuffer message, KernelChannel channel) {
    long receivedNs = Clock.SYSTEM.monotonicNs();
    Decoded decoded = decoder.decode(message);
    switch (decoded) {
      case Decoded.Request(FuseRequest request) -> handle(request, receivedNs, channel);
      case Decoded.Interrupt interrupt -> {
        // An interrupt has no reply. EAGAIN would make the kernel repeat it, but only if sent on
        // the channel that the interrupted request arrived on, which is not known yet.
        PendingReply reply = inFlight.interruptedNow(interrupt.target());
        if (reply != null) {
          interrupted(reply);
        }
      }
      case Decoded.Destroy destroy -> answer(channel, FuseReplyEncoder.header(destroy.unique(), 0));
      case Decoded.Init init ->
          answer(channel, FuseReplyEncoder.error(init.unique(), Errno.EPROTO));
      case Decoded.Malformed malformed -> refuse(malformed, channel);
    }
  }

  private void handle(FuseRequest request, long receivedNs, KernelChannel channel) {
    counters.request(request.header().opcode());
    PendingReply reply =
        new PendingReply(request.header(), receivedNs, channel, inFlight, counters);
    if (request.header().opcode().isAnswered() && !inFlight.add(reply)) {
      return;
    }
    try {
      handler.handle(request, reply);
      if (inFlight.handedOver(reply)) {
        interrupted(reply);
      }
    } catch (Throwable e) {
      counters.handlerFailure();
      LOG.error("{} failed", request.header(), e);
      reply.abandon(Errno.EIO);
    }
  }

  private void interrupted(PendingReply reply) {
    counters.interrupt();
    try {
      handler.interrupted(reply.unique(), reply.pid());
    } catch (Throwable e) {
      counters.handlerFailure();
      LOG.error("interrupt of {} failed", reply.unique(), e);
    }
  }

  private void refuse(Decoded.Malformed malformed, KernelChannel channel) {
    counters.malformedRequest();
    long count = malformedRequests.count(malformed.opcode());
    if (MalformedRequestLog.isWorthALine(count)) {
      String times = count == 1 ? "" : " (" + count + " like it so far)";
      if (malformed.errno() == Errno.ENOSYS) {
        LOG.info("request {} not served: {}{}", malformed.unique(), malformed.reason(), times);
      } else {
        LOG.error("request {} not understood: {}{}", malformed.unique(), malformed.reason(), times);
      }
    }
    if (malformed.answered()) {
      answer(channel, FuseReplyEncoder.error(malformed.unique(), malformed.errno()));
    }
  }

  private static void answer(KernelChannel channel, ByteBuffer message) {
    Errno refusal = channel.send(message);
    if (refusal != null && refusal != Errno.ENOENT && refusal != Errno.ENODEV) {
      LOG.error("the kernel refused an answer: {}", refusal.message());
    }
  }
}

package io.hypersync.wire.quic;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sits between the UDP socket and QUIC and makes batches of both directions: what arrived together
 * is delivered, then answered, then all answers leave with one flush.
 *
 * <p>QUIC acknowledges each batch with a packet of its own. Nobody waits for that packet, but it
 * would wake the other side, and with it a thread that is needed for something else; so packets as
 * small as that are overtaken by all others and leave when the delay is over which QUIC grants
 * acknowledgements (max_ack_delay, RFC 9000 13.2.1). None is dropped, though the next one says all
 * that it says: a window update can be as small, and a sender that waits for it waits for seconds.
 */
final class BatchHandler extends ChannelDuplexHandler {
  /** As long as an acknowledgement may stay here. */
  static final int MAX_DELAY_MS = 2;

  /**
   * Less than that is an acknowledgement: header, connection id and tag are 40 bytes. The last few
   * bytes of a message that just did not fit into a packet can be as small, and wait as well.
   */
  private static final int ACKNOWLEDGEMENT_BYTES = 51;

  private final Runnable flushPoint;
  private @Nullable ChannelHandlerContext context;
  private int holds;
  private boolean flushWanted;
  private boolean timerRuns;

  /** Acknowledgements whose time has not come, and QUIC's promises for them. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  private record Waiting(DatagramPacket packet, ChannelPromise promise) {}

  /**
   * Makes the handler.
   *
   * @param flushPoint called when all that had arrived has been delivered
   */
  BatchHandler(Runnable flushPoint) {
    this.flushPoint = flushPoint;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    for (Waiting left = waiting.poll(); left != null; left = waiting.poll()) {
      left.packet.release();
      left.promise.tryFailure(new ClosedChannelException());
    }
    context = null;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    hold();
    try {
      flushPoint.run();
    } finally {
      ctx.fireChannelReadComplete();
      release();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof DatagramPacket packet
        && packet.content().readableBytes() < ACKNOWLEDGEMENT_BYTES) {
      waiting.add(new Waiting(packet, promise));
    } else {
      flushWanted = true;
      var _ = ctx.write(message, promise);
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    flushUnlessHeld();
  }

  /** The last word on a connection may be among what waits. */
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    acknowledge(ctx);
    var _ = ctx.close(promise);
  }

  /** From now on packets are collected. */
  void hold() {
    holds++;
  }

  /** Sends what was collected, unless there are more holds. */
  void release() {
    holds--;
    flushUnlessHeld();
  }

  private void flushUnlessHeld() {
    if (holds > 0 || context == null) {
      return;
    }
    if (flushWanted) {
      flushWanted = false;
      context.flush();
    }
    if (!waiting.isEmpty() && !timerRuns) {
      timerRuns = true;
      var _ = context.executor().schedule(this::delayIsOver, MAX_DELAY_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void delayIsOver() {
    timerRuns = false;
    if (context != null) {
      acknowledge(context);
    }
  }

  private void acknowledge(ChannelHandlerContext ctx) {
    for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
      var _ = ctx.write(next.packet, next.promise);
    }
    ctx.flush();
  }
}

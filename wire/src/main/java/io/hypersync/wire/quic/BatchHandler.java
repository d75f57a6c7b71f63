package io.hypersync.wire.quic;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * Sits between the UDP socket and QUIC and makes batches of both directions: what arrived together
 * is delivered, then answered, then all answers leave with one flush, the acknowledgements of QUIC
 * in the same packets as our data.
 */
final class BatchHandler extends ChannelDuplexHandler {
  private final Runnable flushPoint;
  private @Nullable ChannelHandlerContext context;
  private int holds;
  private boolean flushWanted;

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
  public void flush(ChannelHandlerContext ctx) {
    if (holds > 0) {
      flushWanted = true;
    } else {
      ctx.flush();
    }
  }

  /** From now on packets are collected. */
  void hold() {
    holds++;
  }

  /** Sends what was collected, unless there are more holds. */
  void release() {
    holds--;
    if (holds == 0 && flushWanted && context != null) {
      flushWanted = false;
      context.flush();
    }
  }
}

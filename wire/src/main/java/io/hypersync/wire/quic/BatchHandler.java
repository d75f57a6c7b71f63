package io.hypersync.wire.quic;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sits between the UDP socket and QUIC and makes batches of both directions: what arrived together
 * is delivered, then answered, then all answers leave with one flush.
 *
 * <p>At the end of each batch QUIC acknowledges it with a packet of its own, which nobody waits
 * for, but which costs both sides as much as a packet that matters, and wakes the other side, and
 * with it a thread that is needed for something else. So the end of a batch that is not answered
 * yet is put off until the answer leaves, whose packet then carries the acknowledgement, or until
 * the delay is over which QUIC grants acknowledgements (max_ack_delay, RFC 9000 13.2.1). An
 * acknowledgement that is made all the same is overtaken by all other packets and leaves when that
 * delay is over. None is dropped, though the next one says all that it says: a window update can be
 * as small, and a sender that waits for it waits for seconds.
 *
 * <p>What QUIC does at the end of a batch is to send: acknowledgements, window updates, and what it
 * could not send before. It also delivers what came with the opening of a stream; other messages
 * are delivered while the batch arrives. So a batch ends at once while a connection is made and
 * while something waits for the other side to take more ({@link #hurry}), when much arrived, and
 * when no message did: an acknowledgement needs none, but may make room for what QUIC has taken and
 * not sent.
 *
 * <p>All this is for the socket, so on the leader for all workers together. Used by the thread of
 * the socket only.
 */
final class BatchHandler extends ChannelDuplexHandler {
  /** As long as an acknowledgement may stay here, from the end of its batch. */
  static final int MAX_DELAY_MS = 5;

  /**
   * After so much the other side may be waiting for a window. The smallest that QUIC gives is 32
   * KiB, and it says that there is more when half of it is used up.
   */
  static final int BULK_BYTES = 16 * 1024;

  /**
   * Less than that is an acknowledgement: header, connection id and tag are 40 bytes. The last few
   * bytes of a message that just did not fit into a packet can be as small, and wait as well.
   */
  private static final int ACKNOWLEDGEMENT_BYTES = 51;

  private final Runnable flushPoint;
  private @Nullable ChannelHandlerContext context;
  private int holds;
  private int hurries;
  private boolean flushWanted;

  /** Between the first datagram of a batch and its last. */
  private boolean arriving;

  /** What has arrived is being delivered; any thread may ask. */
  private volatile boolean delivering;

  /** A batch has arrived and QUIC was not told that this was all. */
  private boolean endOwed;

  /** Something for us, not just for QUIC, has arrived since the last end. */
  private boolean delivered;

  /** Something that belongs to the batch which arrives, or whose end is owed, was given to QUIC. */
  private boolean answered;

  private long bytesSinceEnd;

  /** Runs while an end is owed or acknowledgements wait. */
  private @Nullable ScheduledFuture<?> timer;

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
    endOwed = false;
    setTimer(ctx);
    context = null;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    arriving = true;
    delivering = true;
    if (message instanceof DatagramPacket packet) {
      bytesSinceEnd += packet.content().readableBytes();
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    arriving = false;
    endOwed = true;
    hold();
    try {
      flushPoint.run();
    } finally {
      release();
      delivering = false;
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
      answered(); // QUIC sends by itself too, a repetition for one, and leaves the flush to the end
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

  /**
   * A message was given to QUIC, which sends it at the end of the batch if one is owed: it is ended
   * when the last hold is released; without one, as soon as the caller is done.
   */
  void answered() {
    if (answered || !(arriving || endOwed)) {
      return;
    }
    answered = true;
    ChannelHandlerContext ctx = context;
    if (holds == 0 && !arriving && ctx != null) {
      // Not here: QUIC may be at work.
      ctx.executor().execute(this::flushUnlessHeld);
    }
  }

  /** Some bytes of a stream have arrived. */
  void delivered() {
    delivered = true;
  }

  /** Whether something has been read that is not delivered and answered yet; any thread. */
  boolean isDelivering() {
    return delivering;
  }

  /** From now on no batch's end is put off, until {@link #calm} was called as often. */
  void hurry() {
    hurries++;
  }

  /** One reason to {@link #hurry} has gone. */
  void calm() {
    hurries--;
    assert hurries >= 0 : hurries;
  }

  private void flushUnlessHeld() {
    ChannelHandlerContext ctx = context;
    if (holds > 0 || ctx == null) {
      return;
    }
    if (endOwed && !arriving && mustEnd()) {
      endBatch(ctx);
    }
    if (flushWanted) {
      flushWanted = false;
      ctx.flush();
    }
    setTimer(ctx);
  }

  private boolean mustEnd() {
    return answered || !delivered || hurries > 0 || bytesSinceEnd >= BULK_BYTES;
  }

  /** Lets QUIC send what it has to say. */
  private void endBatch(ChannelHandlerContext ctx) {
    endOwed = false;
    answered = false;
    delivered = false;
    bytesSinceEnd = 0;
    holds++;
    try {
      ctx.fireChannelReadComplete();
    } finally {
      holds--;
    }
  }

  private void setTimer(ChannelHandlerContext ctx) {
    boolean wanted = endOwed || !waiting.isEmpty();
    if (wanted && timer == null) {
      timer = ctx.executor().schedule(this::delayIsOver, MAX_DELAY_MS, TimeUnit.MILLISECONDS);
    } else if (!wanted && timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void delayIsOver() {
    timer = null;
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    if (endOwed) {
      endBatch(ctx);
    }
    acknowledge(ctx);
  }

  private void acknowledge(ChannelHandlerContext ctx) {
    for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
      var _ = ctx.write(next.packet, next.promise);
    }
    flushWanted = false;
    ctx.flush();
  }
}

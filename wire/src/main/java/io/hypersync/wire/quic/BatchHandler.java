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
 * Sits between the UDP socket and the QUIC codec and makes batches in both directions: all
 * datagrams that arrived together are delivered, then the listener responds, then all responses
 * leave with one flush.
 *
 * <p>At the end of each batch QUIC would acknowledge it with a separate packet. Nobody waits for
 * that packet, but it costs both sides as much as one that matters, and it wakes the peer, and with
 * it a thread that is needed for other work. So the end of a batch without a response yet is
 * postponed until the response leaves, whose packet then carries the acknowledgement, or until the
 * delay that QUIC allows for acknowledgements is over (max_ack_delay, RFC 9000 13.2.1). An
 * acknowledgement that QUIC sends before that is held here while other packets pass it, and leaves
 * when the delay is over. None is dropped, although the next acknowledgement would repeat its
 * content: a window update can be as small as one, and a sender that lacks a window update is
 * blocked for seconds.
 *
 * <p>At the end of a batch QUIC sends: acknowledgements, window updates, and what it could not send
 * before. It also delivers the bytes that came with the opening of a stream; other bytes are
 * delivered while the batch arrives. So a batch is ended at once while a connection is being
 * established and while something waits until the peer can take more ({@link #hurry}), when much
 * has arrived, and when no stream data has: an acknowledgement from the peer needs no response, but
 * may make room for what QUIC has accepted and not sent.
 *
 * <p>There is one handler per socket, so at the leader it serves all workers together. Used only by
 * the thread of the socket, except {@link #isDelivering}.
 */
final class BatchHandler extends ChannelDuplexHandler {
  /** The longest that an acknowledgement is held here, from the end of its batch. */
  static final int MAX_DELAY_MS = 5;

  /**
   * When so many bytes have arrived, the peer may be waiting for a window update. The smallest
   * window that QUIC grants is 32 KiB, and QUIC extends it when half of it is used.
   */
  static final int BULK_BYTES = 16 * 1024;

  /**
   * A smaller packet is taken for an acknowledgement: header, connection id and tag are 40 bytes.
   * The last few bytes of a message that did not fit into the packet before can be as small, and
   * are held as well.
   */
  private static final int ACKNOWLEDGEMENT_BYTES = 51;

  private final Runnable flushPoint;
  private @Nullable ChannelHandlerContext context;
  private int holds;
  private int hurries;
  private boolean flushWanted;

  /** True between the first datagram of a batch and its last. */
  private boolean arriving;

  /** True while what has arrived is being delivered; read by any thread. */
  private volatile boolean delivering;

  /** A batch has arrived, and QUIC has not been told that it is complete. */
  private boolean endOwed;

  /** Stream data, not only packets for QUIC itself, has arrived since the last end of a batch. */
  private boolean delivered;

  /** A response to the batch that is arriving, or whose end is postponed, was given to QUIC. */
  private boolean answered;

  private long bytesSinceEnd;

  /** Runs while the end of a batch is postponed or acknowledgements are held. */
  private @Nullable ScheduledFuture<?> timer;

  /** Acknowledgements that are held, with QUIC's promises for them. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  private record Waiting(DatagramPacket packet, ChannelPromise promise) {}

  /**
   * Makes the handler of one socket.
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
      answered(); // QUIC also writes unasked, such as a retransmission, and flushes only at the end
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    flushUnlessHeld();
  }

  /** Sends the held packets first: the packet that closes a connection may be among them. */
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    acknowledge(ctx);
    var _ = ctx.close(promise);
  }

  /** Collects packets from now on, until {@link #release} was called as often. */
  void hold() {
    holds++;
  }

  /** Sends what was collected, unless other holds remain. */
  void release() {
    holds--;
    flushUnlessHeld();
  }

  /**
   * Notes that a message was given to QUIC, which sends it at the end of the batch if that is
   * postponed. The batch is then ended when the last hold is released, or without a hold as soon as
   * the caller has returned.
   */
  void answered() {
    if (answered || !(arriving || endOwed)) {
      return;
    }
    answered = true;
    ChannelHandlerContext ctx = context;
    if (holds == 0 && !arriving && ctx != null) {
      // Not in this call: QUIC may be in the middle of its own work.
      ctx.executor().execute(this::flushUnlessHeld);
    }
  }

  /** Notes that bytes of a stream have arrived. */
  void delivered() {
    delivered = true;
  }

  /**
   * Whether datagrams have been read that are not delivered and responded to yet. May be called
   * from any thread.
   */
  boolean isDelivering() {
    return delivering;
  }

  /** Postpones no end of a batch from now on, until {@link #calm} was called as often. */
  void hurry() {
    hurries++;
  }

  /** Ends the effect of one call of {@link #hurry}. */
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

  /** Tells QUIC that the batch is complete, so that it sends what it has to. */
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

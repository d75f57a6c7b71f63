package io.hypersync.wire.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a packet together with larger ones written before it to the same address, as one datagram
 * that the kernel splits into packets (UDP GSO). So a log entry and its ack arrive together and
 * wake the worker once. The QUIC library itself joins packets of equal size only.
 *
 * <p>Where the kernel refuses to split a datagram, as it does on devices without checksum offload
 * and on paths with a smaller MTU, every packet is sent on its own from then on; QUIC retransmits
 * what was lost.
 */
final class DatagramCoalescer extends ChannelOutboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(DatagramCoalescer.class);
  private static final int MAX_DATAGRAM_BYTES = 65_507;
  private static final int MAX_JOINED = 8;

  /** Packets that wait for a further one or for the flush. */
  private List<Waiting> joined = new ArrayList<>();

  private int joinedBytes;
  private boolean refused;

  private record Waiting(DatagramPacket packet, ChannelPromise promise) {
    int bytes() {
      return packet.content().readableBytes();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof SegmentedDatagramPacket segments) {
      writeJoined(ctx);
      writeSegments(ctx, segments, promise);
    } else if (message instanceof DatagramPacket packet && !refused) {
      Waiting next = new Waiting(packet, promise);
      if (!fits(next)) {
        writeJoined(ctx);
      }
      joined.add(next);
      joinedBytes += next.bytes();
    } else {
      var _ = ctx.write(message, promise);
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    writeJoined(ctx);
    ctx.flush();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    for (Waiting left : takeJoined()) {
      left.packet.release();
      left.promise.tryFailure(new ClosedChannelException());
    }
  }

  /** GSO requires that all segments but the last have one size, and that the last is no larger. */
  private boolean fits(Waiting next) {
    if (joined.isEmpty()) {
      return true;
    }
    int size = joined.getFirst().bytes();
    return joined.size() < MAX_JOINED
        && joined.getLast().bytes() == size
        && next.bytes() <= size
        && joinedBytes + next.bytes() <= MAX_DATAGRAM_BYTES
        && next.packet.recipient().equals(joined.getFirst().packet.recipient());
  }

  private void writeJoined(ChannelHandlerContext ctx) {
    List<Waiting> all = takeJoined();
    if (all.size() == 1) {
      var _ = ctx.write(all.getFirst().packet, all.getFirst().promise);
    } else if (!all.isEmpty()) {
      ChannelPromise promise = ctx.newPromise();
      promise.addListener(done -> all.forEach(one -> complete(one.promise, done)));
      Waiting first = all.getFirst();
      ByteBuf[] parts = all.stream().map(one -> one.packet.content()).toArray(ByteBuf[]::new);
      writeSegments(
          ctx,
          new SegmentedDatagramPacket(
              Unpooled.wrappedBuffer(parts), first.bytes(), first.packet.recipient()),
          promise);
    }
  }

  /**
   * Empties the list before anything is written: a write that fails at once may cause another
   * write.
   */
  private List<Waiting> takeJoined() {
    List<Waiting> all = joined;
    joined = new ArrayList<>();
    joinedBytes = 0;
    return all;
  }

  private void writeSegments(
      ChannelHandlerContext ctx, SegmentedDatagramPacket segments, ChannelPromise promise) {
    if (refused) {
      writeApart(ctx, segments, promise);
      return;
    }
    promise.addListener(
        done -> {
          if (!done.isSuccess() && ctx.channel().isActive() && !refused) {
            refused = true;
            LOG.info("packets leave one by one from now on: {}", done.cause().getMessage());
          }
        });
    var _ = ctx.write(segments, promise);
  }

  private static void writeApart(
      ChannelHandlerContext ctx, SegmentedDatagramPacket segments, ChannelPromise promise) {
    ByteBuf content = segments.content();
    try {
      while (content.readableBytes() > segments.segmentSize()) {
        ByteBuf part = content.readRetainedSlice(segments.segmentSize());
        var _ = ctx.write(new DatagramPacket(part, segments.recipient()));
      }
      ByteBuf last = content.readRetainedSlice(content.readableBytes());
      var _ = ctx.write(new DatagramPacket(last, segments.recipient()), promise);
    } finally {
      segments.release();
    }
  }

  private static void complete(ChannelPromise promise, Future<?> done) {
    if (done.isSuccess()) {
      promise.trySuccess();
    } else {
      promise.tryFailure(done.cause());
    }
  }
}

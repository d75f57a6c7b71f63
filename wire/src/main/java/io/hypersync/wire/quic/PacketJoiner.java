package io.hypersync.wire.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets a packet leave together with a larger one before it to the same recipient, as one datagram
 * that the kernel cuts up: an entry and its ack arrive at once, and wake the worker once. The QUIC
 * library itself joins packets of the same size only.
 */
final class PacketJoiner extends ChannelOutboundHandlerAdapter {
  private static final int MAX_DATAGRAM_BYTES = 65_507;
  private static final int MAX_JOINED = 8;

  /** What waits for a smaller one, or for the flush. */
  private final List<DatagramPacket> joined = new ArrayList<>();

  private final List<ChannelPromise> promises = new ArrayList<>();
  private int joinedBytes;

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof DatagramPacket packet) || packet instanceof SegmentedDatagramPacket) {
      writeJoined(ctx);
      var _ = ctx.write(message, promise);
      return;
    }
    if (!fits(packet)) {
      writeJoined(ctx);
    }
    joined.add(packet);
    promises.add(promise);
    joinedBytes += packet.content().readableBytes();
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    writeJoined(ctx);
    ctx.flush();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    joined.forEach(ReferenceCountUtil::release);
    joined.clear();
  }

  /** All segments but the last must be of one size, and the last no larger. */
  private boolean fits(DatagramPacket packet) {
    if (joined.isEmpty()) {
      return true;
    }
    int size = joined.getFirst().content().readableBytes();
    return joined.size() < MAX_JOINED
        && joined.getLast().content().readableBytes() == size
        && packet.content().readableBytes() <= size
        && joinedBytes + packet.content().readableBytes() <= MAX_DATAGRAM_BYTES
        && packet.recipient().equals(joined.getFirst().recipient());
  }

  private void writeJoined(ChannelHandlerContext ctx) {
    DatagramPacket alone = joined.size() == 1 ? joined.getFirst() : null;
    if (alone != null) {
      var _ = ctx.write(alone, promises.getFirst());
    } else if (!joined.isEmpty()) {
      writeSegments(ctx, joined.getFirst(), List.copyOf(promises));
    }
    joined.clear();
    promises.clear();
    joinedBytes = 0;
  }

  private void writeSegments(
      ChannelHandlerContext ctx, DatagramPacket first, List<ChannelPromise> all) {
    int segmentBytes = first.content().readableBytes();
    InetSocketAddress recipient = first.recipient();
    ChannelFuture written =
        ctx.write(
            new SegmentedDatagramPacket(
                Unpooled.wrappedBuffer(
                    joined.stream().map(DatagramPacket::content).toArray(ByteBuf[]::new)),
                segmentBytes,
                recipient));
    written.addListener(done -> all.forEach(promise -> complete(promise, done.cause())));
  }

  private static void complete(ChannelPromise promise, @Nullable Throwable failure) {
    if (failure == null) {
      promise.trySuccess();
    } else {
      promise.tryFailure(failure);
    }
  }
}

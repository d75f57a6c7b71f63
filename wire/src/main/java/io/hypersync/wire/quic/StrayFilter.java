package io.hypersync.wire.quic;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;

/**
 * Drops datagrams that no worker sends, before QUIC handles them: QUIC would respond to each one of
 * an unsupported version, and begin a connection for an initial packet of invalid size. Packets of
 * established connections have a short header and pass unchecked.
 */
final class StrayFilter extends ChannelInboundHandlerAdapter {
  private static final int LONG_HEADER = 0x80;
  private static final int TYPE = 0x30;
  private static final int INITIAL = 0x00;
  private static final int VERSION_AT = 1;
  private static final int QUIC_1 = 1;
  private static final int LONG_HEADER_BYTES = 7;

  /** RFC 9000 14.1: a client pads its initial packet, to prove that the path carries that size. */
  private static final int MIN_INITIAL_BYTES = 1_200;

  private final Runnable dropped;

  /**
   * Makes a filter.
   *
   * @param dropped called for each datagram that is dropped
   */
  StrayFilter(Runnable dropped) {
    this.dropped = dropped;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof DatagramPacket packet && isStray(packet.content())) {
      packet.release();
      dropped.run();
    } else {
      ctx.fireChannelRead(message);
    }
  }

  static boolean isStray(ByteBuf datagram) {
    if (!datagram.isReadable()) {
      return true;
    }
    int at = datagram.readerIndex();
    int first = datagram.getUnsignedByte(at);
    if ((first & LONG_HEADER) == 0) {
      return false;
    }
    return datagram.readableBytes() < LONG_HEADER_BYTES
        || datagram.getInt(at + VERSION_AT) != QUIC_1
        || ((first & TYPE) == INITIAL && datagram.readableBytes() < MIN_INITIAL_BYTES);
  }
}

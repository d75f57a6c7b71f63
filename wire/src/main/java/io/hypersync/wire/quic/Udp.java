package io.hypersync.wire.quic;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.incubator.codec.quic.EpollQuicUtils;
import io.netty.incubator.codec.quic.QuicChannel;
import io.netty.incubator.codec.quic.QuicChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;

/** UDP sockets: epoll with segmentation offload where the host has it, else plain NIO. */
final class Udp {
  /**
   * Size of the receive buffer: the largest datagram, or run of datagrams joined by the kernel
   * (GRO).
   */
  private static final int RECEIVE_BYTES = 64 * 1024;

  /** The most datagrams in one batch, after which its responses are sent. */
  private static final int BATCH_DATAGRAMS = 64;

  private Udp() {}

  /** An event loop with one daemon thread. */
  static EventLoopGroup newLoop(String threadName) {
    DefaultThreadFactory threads = new DefaultThreadFactory(threadName, true);
    return Epoll.isAvailable()
        ? new EpollEventLoopGroup(1, threads)
        : new NioEventLoopGroup(1, threads);
  }

  static Bootstrap bootstrap(EventLoopGroup loop, QuicOptions options) {
    Class<? extends Channel> type =
        loop instanceof EpollEventLoopGroup ? EpollDatagramChannel.class : NioDatagramChannel.class;
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(type)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .option(ChannelOption.SO_RCVBUF, options.socketBufferBytes())
            .option(ChannelOption.SO_SNDBUF, options.socketBufferBytes())
            .option(
                ChannelOption.RCVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(RECEIVE_BYTES).maxMessagesPerRead(BATCH_DATAGRAMS));
    if (type == EpollDatagramChannel.class) {
      bootstrap.option(EpollChannelOption.UDP_GRO, true);
    }
    return bootstrap;
  }

  /** Installs a {@link DatagramCoalescer} if the kernel can cut up datagrams. */
  static void join(ChannelPipeline udp) {
    if (udp.channel() instanceof EpollDatagramChannel
        && EpollDatagramChannel.isSegmentedDatagramPacketSupported()) {
      udp.addLast(new DatagramCoalescer());
    }
  }

  /**
   * Makes QUIC hand several packets to the kernel as one datagram, if the kernel can cut it up.
   *
   * @param packets an upper bound of the connection's packet size
   */
  static void joinPackets(QuicChannel connection, PacketSize packets) {
    if (connection.parent() instanceof EpollDatagramChannel
        && EpollDatagramChannel.isSegmentedDatagramPacketSupported()) {
      connection
          .config()
          .setOption(
              QuicChannelOption.SEGMENTED_DATAGRAM_PACKET_ALLOCATOR,
              EpollQuicUtils.newSegmentedAllocator(packets.segments()));
    }
  }
}

package io.hypersync.wire.quic;

import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.pki.Identity;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.incubator.codec.quic.QuicChannel;
import io.netty.incubator.codec.quic.QuicClientCodecBuilder;
import io.netty.incubator.codec.quic.QuicConnectionCloseEvent;
import io.netty.incubator.codec.quic.QuicSslContext;
import io.netty.incubator.codec.quic.QuicSslContextBuilder;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import io.netty.incubator.codec.quic.QuicStreamType;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A plain QUIC client that sends what a worker never would. It trusts any certificate. */
final class RogueClient implements AutoCloseable {
  private static final long WINDOW_BYTES = 1 << 20;

  private final NioEventLoopGroup loop = new NioEventLoopGroup(1);
  private final QuicChannel connection;
  private final BlockingQueue<QuicConnectionCloseEvent> closeEvents = new ArrayBlockingQueue<>(1);

  /**
   * Connects and waits until the handshake is done.
   *
   * @param identity the certificate to present, or null for none
   */
  RogueClient(InetSocketAddress leader, @Nullable Identity identity, String protocol)
      throws InterruptedException, ExecutionException, TimeoutException {
    QuicSslContextBuilder tls =
        QuicSslContextBuilder.forClient()
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .applicationProtocols(protocol);
    if (identity != null) {
      tls.keyManager(identity.key(), null, identity.cert());
    }
    QuicSslContext context = tls.build();
    Channel socket =
        new Bootstrap()
            .group(loop)
            .channel(NioDatagramChannel.class)
            .handler(
                new QuicClientCodecBuilder()
                    .sslEngineProvider(channel -> context.newEngine(channel.alloc()))
                    .maxIdleTimeout(RecordingListeners.PATIENCE_MS, TimeUnit.MILLISECONDS)
                    .initialMaxData(WINDOW_BYTES)
                    .initialMaxStreamDataUnidirectional(WINDOW_BYTES)
                    .initialMaxStreamDataBidirectionalLocal(WINDOW_BYTES)
                    .initialMaxStreamsUnidirectional(10)
                    .datagram(10, 10)
                    .build())
            .bind(0)
            .sync()
            .channel();
    connection =
        QuicChannel.newBootstrap(socket)
            .handler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                    if (event instanceof QuicConnectionCloseEvent close) {
                      closeEvents.add(close);
                    }
                  }

                  @Override
                  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                    // The tests check how the leader closes the connection instead.
                  }
                })
            .streamHandler(discard())
            .remoteAddress(leader)
            .connect()
            .get(RecordingListeners.PATIENCE_MS, TimeUnit.MILLISECONDS);
  }

  /** A client that follows the protocol, up to opening its streams. */
  static RogueClient joined(InetSocketAddress leader, Identity identity)
      throws InterruptedException, ExecutionException, TimeoutException {
    return new RogueClient(leader, identity, Protocol.VERSION);
  }

  QuicStreamChannel open(QuicStreamType type, byte... bytes)
      throws InterruptedException, ExecutionException, TimeoutException {
    QuicStreamChannel stream =
        connection
            .createStream(type, discard())
            .get(RecordingListeners.PATIENCE_MS, TimeUnit.MILLISECONDS);
    send(stream, bytes);
    return stream;
  }

  QuicStreamChannel open(StreamKind kind)
      throws InterruptedException, ExecutionException, TimeoutException {
    return open(
        kind == StreamKind.CONTROL ? QuicStreamType.BIDIRECTIONAL : QuicStreamType.UNIDIRECTIONAL,
        (byte) kind.code());
  }

  void send(QuicStreamChannel stream, byte... bytes) {
    var _ = stream.writeAndFlush(Unpooled.wrappedBuffer(bytes));
  }

  void sendDatagram(byte... bytes) {
    var _ = connection.writeAndFlush(Unpooled.wrappedBuffer(bytes));
  }

  /** The reason with which the leader closed the connection, or null if it did not. */
  @Nullable QuicConnectionCloseEvent awaitClose() throws InterruptedException {
    return closeEvents.poll(RecordingListeners.PATIENCE_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static ChannelInitializer<QuicStreamChannel> discard() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(QuicStreamChannel stream) {
        stream
            .pipeline()
            .addLast(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ReferenceCountUtil.release(message);
                  }

                  @Override
                  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                    // Ignored, as above.
                  }
                });
      }
    };
  }
}

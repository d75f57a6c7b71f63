package io.hypersync.wire.quic;

import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.pki.Identity;
import io.netty.handler.ssl.ClientAuth;
import io.netty.incubator.codec.quic.QuicClientCodecBuilder;
import io.netty.incubator.codec.quic.QuicCodecBuilder;
import io.netty.incubator.codec.quic.QuicCongestionControlAlgorithm;
import io.netty.incubator.codec.quic.QuicServerCodecBuilder;
import io.netty.incubator.codec.quic.QuicSslContext;
import io.netty.incubator.codec.quic.QuicSslContextBuilder;
import java.util.concurrent.TimeUnit;

/** TLS and transport parameters of both sides (hypersync.md 18). */
final class QuicSetup {
  /** Control, opened by the worker. */
  private static final int WORKER_BIDIRECTIONAL_STREAMS = 1;

  /** Intents and chunks. */
  private static final int WORKER_UNIDIRECTIONAL_STREAMS = 2;

  /** Acks, log and bulk. */
  private static final int LEADER_UNIDIRECTIONAL_STREAMS = 3;

  /** How long {@link BatchHandler} may hold acknowledgements back, and a timer's tick. */
  private static final int MAX_ACK_DELAY_MS = BatchHandler.MAX_DELAY_MS + 1;

  /** Half a chunk batch at once on a fresh connection, instead of ten packets. */
  private static final int INITIAL_WINDOW_PACKETS = 128;

  private QuicSetup() {}

  static QuicSslContext leaderTls(Identity identity, WorkspaceTrust trust) {
    return QuicSslContextBuilder.forServer(new IdentityKeyManager(identity), null)
        .trustManager(trust)
        .clientAuth(ClientAuth.REQUIRE)
        .applicationProtocols(Protocol.VERSION)
        .build();
  }

  static QuicSslContext workerTls(Identity identity, WorkspaceTrust trust) {
    return QuicSslContextBuilder.forClient()
        .keyManager(new IdentityKeyManager(identity), null)
        .trustManager(trust)
        .applicationProtocols(Protocol.VERSION)
        .build();
  }

  /** Sends packets as large as each worker says it takes. */
  static QuicServerCodecBuilder leaderCodec(QuicSslContext tls, QuicOptions options) {
    return common(new QuicServerCodecBuilder(), options, PacketSize.LARGEST)
        .sslContext(tls)
        .initialMaxStreamsBidirectional(WORKER_BIDIRECTIONAL_STREAMS)
        .initialMaxStreamsUnidirectional(WORKER_UNIDIRECTIONAL_STREAMS);
  }

  /**
   * The engine has no host name: the certificate's names are checked by {@link WorkspaceTrust}.
   *
   * @param packets how large they may be in both directions; the leader is told
   */
  static QuicClientCodecBuilder workerCodec(
      QuicSslContext tls, QuicOptions options, PacketSize packets) {
    return common(new QuicClientCodecBuilder(), options, packets)
        .sslEngineProvider(channel -> tls.newEngine(channel.alloc()))
        .initialMaxStreamsBidirectional(0)
        .initialMaxStreamsUnidirectional(LEADER_UNIDIRECTIONAL_STREAMS);
  }

  /**
   * CUBIC and BBR could not be told apart on loopback; BBR would shrink its window to four packets
   * every ten seconds, which a commit would feel. QUIC datagrams stay off until chunks travel in
   * them.
   */
  private static <B extends QuicCodecBuilder<B>> B common(
      B builder, QuicOptions options, PacketSize packets) {
    return builder
        .maxIdleTimeout(options.idleTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .initialMaxData(options.connectionWindowBytes())
        .initialMaxStreamDataBidirectionalLocal(options.streamWindowBytes())
        .initialMaxStreamDataBidirectionalRemote(options.streamWindowBytes())
        .initialMaxStreamDataUnidirectional(options.streamWindowBytes())
        .maxSendUdpPayloadSize(packets.bytes())
        .maxRecvUdpPayloadSize(packets.bytes())
        .maxAckDelay(MAX_ACK_DELAY_MS, TimeUnit.MILLISECONDS)
        .initialCongestionWindowPackets(INITIAL_WINDOW_PACKETS)
        .congestionControlAlgorithm(QuicCongestionControlAlgorithm.CUBIC)
        .activeMigration(false);
  }
}

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

/** TLS settings and transport parameters of both sides (hypersync.md 18). */
final class QuicSetup {
  /** The control stream. */
  private static final int WORKER_BIDIRECTIONAL_STREAMS = 1;

  /** The intents and chunks streams. */
  private static final int WORKER_UNIDIRECTIONAL_STREAMS = 2;

  /** The acks, log and bulk streams. */
  private static final int LEADER_UNIDIRECTIONAL_STREAMS = 3;

  /** How long {@link BatchHandler} may hold acknowledgements, plus one tick of the timer. */
  private static final int MAX_ACK_DELAY_MS = BatchHandler.MAX_DELAY_MS + 1;

  /**
   * Lets 1.2 MiB leave at once on a new connection to another host; the default is ten packets. On
   * a path that loses packets QUIC's BBR hardly lets its window grow beyond this (decision 033).
   */
  private static final int INITIAL_WINDOW_PACKETS = 1_024;

  /** So many datagrams that have arrived wait until they are delivered; more are dropped. */
  private static final int RECEIVED_DATAGRAMS = 2_048;

  /**
   * So many datagrams wait until they may leave; more are dropped. More than the most bytes that
   * the leader has on their way to a worker, in datagrams of 1 KiB.
   */
  private static final int QUEUED_DATAGRAMS = 8_192;

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

  /**
   * A codec that can send packets of any size; each worker announces how large its packets may be.
   */
  static QuicServerCodecBuilder leaderCodec(QuicSslContext tls, QuicOptions options) {
    return common(new QuicServerCodecBuilder(), options, PacketSize.LARGEST)
        .sslContext(tls)
        .initialMaxStreamsBidirectional(WORKER_BIDIRECTIONAL_STREAMS)
        .initialMaxStreamsUnidirectional(WORKER_UNIDIRECTIONAL_STREAMS);
  }

  /**
   * The TLS engine is made without a host name: {@link WorkspaceTrust} checks the names in the
   * certificate.
   *
   * @param packets the size limit in both directions, which the handshake announces to the leader
   */
  static QuicClientCodecBuilder workerCodec(
      QuicSslContext tls, QuicOptions options, PacketSize packets) {
    return common(new QuicClientCodecBuilder(), options, packets)
        .sslEngineProvider(channel -> tls.newEngine(channel.alloc()))
        .initialMaxStreamsBidirectional(0)
        .initialMaxStreamsUnidirectional(LEADER_UNIDIRECTIONAL_STREAMS);
  }

  /**
   * BBR, because it does not take each lost packet for a sign of congestion: with 5 % loss and a
   * round trip of 20 ms CUBIC sends 1 MiB in 0.8 s, BBR in 0.2 s. Without loss they perform alike
   * (decision 033).
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
        .congestionControlAlgorithm(QuicCongestionControlAlgorithm.BBR)
        .datagram(RECEIVED_DATAGRAMS, QUEUED_DATAGRAMS)
        .activeMigration(false);
  }
}

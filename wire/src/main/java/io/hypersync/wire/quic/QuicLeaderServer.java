package io.hypersync.wire.quic;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.PeerCertificates;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.incubator.codec.quic.QuicChannel;
import io.netty.incubator.codec.quic.QuicSslContext;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import io.netty.incubator.codec.quic.QuicTransportParameters;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's transport over QUIC (hypersync.md 12.1, 18): one UDP port, one thread, and a session
 * for each worker whose certificate belongs to this workspace. Stray datagrams are dropped without
 * a response.
 */
public final class QuicLeaderServer implements LeaderTransport {
  private static final Logger log = LoggerFactory.getLogger(QuicLeaderServer.class);

  /** How long a refused worker has to read the reason before the connection is closed. */
  private static final long REFUSAL_GRACE_MS = 500;

  private static final long STOP_TIMEOUT_MS = 2_000;

  private static final int TOKEN_KEY_BYTES = 32;

  /** How often {@link HandshakeGate#report} is called. */
  private static final long REPORT_EVERY_MS = 1_000;

  /**
   * Limits the lines about connections that never opened. Each may explain a problem with a
   * certificate, but a flood would fill the log with them.
   */
  private static final int NEVER_OPENED_LINES_PER_MINUTE = 20;

  private final Identity identity;
  private final LeaderTransportListener listener;
  private final QuicOptions options;
  private final EventLoopGroup loop;
  private final WorkspaceTrust trust;
  private final BatchHandler batch;

  /** Changed by the event loop only. */
  private final Map<SessionId, QuicLink<WorkerMessage, LeaderMessage>> sessions =
      new ConcurrentHashMap<>();

  private final Set<QuicLink<WorkerMessage, LeaderMessage>> unopened = new LinkedHashSet<>();
  private final List<QuicLink<WorkerMessage, LeaderMessage>> unflushed = new ArrayList<>();
  private final HandshakeGate gate;
  private final UnauthenticatedPeerLog neverOpened =
      new UnauthenticatedPeerLog(log, NEVER_OPENED_LINES_PER_MINUTE, System::nanoTime);
  private @Nullable Channel socket;
  private @Nullable InetSocketAddress localAddress;
  private long lastSession;

  private QuicLeaderServer(
      Identity identity,
      WorkspaceId workspace,
      LeaderTransportListener listener,
      QuicOptions options) {
    this.identity = identity;
    this.listener = listener;
    this.options = options;
    this.loop = Udp.newLoop("hypersync-leader-net");
    this.trust =
        new WorkspaceTrust(
            chain -> PeerCertificates.verifyWorker(chain, identity.caCert(), workspace));
    this.batch = new BatchHandler(this::flushPoint);
    byte[] key = new byte[TOKEN_KEY_BYTES];
    SecureRandom random = new SecureRandom();
    random.nextBytes(key);
    this.gate =
        new HandshakeGate(
            options.handshakes(), key, random.nextLong(), unopened::size, System::nanoTime);
  }

  /**
   * Starts to listen. Callbacks may come before this returns.
   *
   * @param address port 0 takes any free port; see {@link #localAddress}
   * @param identity the leader's certificate and key
   * @throws LeaderBindException if the address cannot be bound; its message says what to do
   */
  public static QuicLeaderServer bind(
      InetSocketAddress address,
      Identity identity,
      WorkspaceId workspace,
      LeaderTransportListener listener,
      QuicOptions options)
      throws LeaderBindException {
    QuicLeaderServer server = new QuicLeaderServer(identity, workspace, listener, options);
    boolean bound = false;
    try {
      server.listen(address);
      bound = true;
      return server;
    } finally {
      if (!bound) {
        server.stopLoop();
      }
    }
  }

  private void listen(InetSocketAddress address) throws LeaderBindException {
    QuicSslContext tls = QuicSetup.leaderTls(identity, trust);
    ChannelFuture bound =
        Udp.bootstrap(loop, options)
            .handler(
                new ChannelInitializer<DatagramChannel>() {
                  @Override
                  protected void initChannel(DatagramChannel udp) {
                    Udp.join(udp.pipeline());
                    udp.pipeline()
                        .addLast(new StrayFilter(gate::stray))
                        .addLast(batch)
                        .addLast(codec(tls));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new LeaderBindException(address, bound.cause());
    }
    socket = bound.channel();
    localAddress = (InetSocketAddress) bound.channel().localAddress();
    var _ =
        loop.next()
            .scheduleAtFixedRate(
                () -> gate.report(log), REPORT_EVERY_MS, REPORT_EVERY_MS, TimeUnit.MILLISECONDS);
  }

  private ChannelHandler codec(QuicSslContext tls) {
    return QuicSetup.leaderCodec(tls, options)
        .tokenHandler(gate)
        .handler(
            new ChannelInitializer<QuicChannel>() {
              @Override
              protected void initChannel(QuicChannel connection) {
                setUpConnection(connection);
              }
            })
        .streamHandler(
            new ChannelInitializer<QuicStreamChannel>() {
              @Override
              protected void initChannel(QuicStreamChannel stream) {
                QuicLink.accept(stream);
              }
            })
        .build();
  }

  /**
   * Sets up a connection that the gate has let pass; its peer is not authenticated yet. The number
   * of such connections is limited, so that they cannot fill the leader's memory: a new one
   * replaces the oldest that is not open. A worker opens its connection within milliseconds, so it
   * is replaced only in a flood that brings that many in this time.
   */
  private void setUpConnection(QuicChannel connection) {
    gate.begun();
    if (unopened.size() >= options.maxUnopened()) {
      QuicLink<WorkerMessage, LeaderMessage> oldest = unopened.iterator().next();
      unopened.remove(oldest);
      oldest.close(CloseCode.DONE, "it made room for another one that is not open yet");
    }
    QuicLink<WorkerMessage, LeaderMessage> link =
        QuicLink.install(
            connection,
            MessageCodec.LEADER,
            options,
            batch,
            new Events(),
            Objects.requireNonNull(connection.remoteSocketAddress()),
            trust);
    link.limitOpening();
    unopened.add(link);
  }

  @Override
  public void send(SessionId session, LeaderMessage message) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    if (link != null) {
      link.send(message);
      if (link.markUnflushed()) {
        unflushed.add(link);
      }
    }
  }

  @Override
  public int maxSymbolBytes(SessionId session) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    return link == null ? 0 : Math.max(0, link.maxDatagramBytes() - SymbolFrames.HEADER_BYTES);
  }

  @Override
  public void send(SessionId session, ChunkSymbol symbol) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    if (link != null) {
      ByteBuf datagram = link.datagram(SymbolFrames.HEADER_BYTES + symbol.bytes().length);
      SymbolFrames.encode(symbol, datagram);
      link.sendDatagram(datagram);
      if (link.markUnflushed()) {
        unflushed.add(link);
      }
    }
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    if (link != null) {
      link.measure(then);
    }
  }

  @Override
  public void flush() {
    if (unflushed.isEmpty()) {
      return;
    }
    batch.hold();
    try {
      unflushed.forEach(QuicLink::flush);
    } finally {
      unflushed.clear();
      batch.release();
    }
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused refusal) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    if (link == null) {
      return;
    }
    if (refusal == null) {
      link.close(CloseCode.DONE, "the leader ended the session");
    } else {
      link.closeAfter(
          refusal, "refused: " + refusal.reason() + ", " + refusal.message(), REFUSAL_GRACE_MS);
    }
  }

  @Override
  public boolean isWritable(SessionId session, StreamKind kind) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    return link != null && link.isWritable(kind);
  }

  @Override
  public void setReading(SessionId session, StreamKind kind, boolean reading) {
    QuicLink<WorkerMessage, LeaderMessage> link = sessions.get(session);
    if (link != null) {
      link.setReading(kind, reading);
    }
  }

  @Override
  public ScheduledExecutorService executor() {
    return loop.next();
  }

  @Override
  public HandshakeCounts handshakes() {
    return gate.counts();
  }

  @Override
  public InetSocketAddress localAddress() {
    return Objects.requireNonNull(localAddress);
  }

  @Override
  public void shutdown() {
    if (loop.isShuttingDown()) {
      return;
    }
    Channel bound = Objects.requireNonNull(socket);
    var _ =
        loop.next()
            .submit(
                () -> {
                  List<QuicLink<WorkerMessage, LeaderMessage>> all = new ArrayList<>(unopened);
                  all.addAll(sessions.values());
                  batch.hold();
                  all.forEach(link -> link.closeNow(CloseCode.DONE, "the leader stops"));
                  batch.release();
                })
            .awaitUninterruptibly(STOP_TIMEOUT_MS);
    bound.close().awaitUninterruptibly(STOP_TIMEOUT_MS);
    stopLoop();
  }

  private void stopLoop() {
    loop.shutdownGracefully(0, STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(STOP_TIMEOUT_MS * 2);
  }

  private void flushPoint() {
    try {
      listener.flushPoint();
    } catch (RuntimeException e) {
      log.error("internal error while answering a batch", e);
    }
  }

  /** Translates events of a connection into events of a session. */
  private final class Events implements LinkEvents<WorkerMessage, LeaderMessage> {
    private @Nullable WorkerId worker;
    private @Nullable CertificateFacts facts;
    private @Nullable SessionId session;

    @Override
    public void handshakeDone(QuicLink<WorkerMessage, LeaderMessage> link) {
      try {
        X509Certificate cert = certificate(link.channel());
        WorkerId named = PeerCertificates.workerOf(cert);
        worker = named;
        facts = CertificateFacts.of(cert);
        link.setPeerName("worker " + named + " at " + link.address());
        Udp.joinPackets(link.channel(), announcedBy(link.channel()));
        link.openStreams();
      } catch (CertificateException | SSLPeerUnverifiedException e) {
        link.fail(CloseCode.PROTOCOL, e.getMessage());
      }
    }

    private static PacketSize announcedBy(QuicChannel connection) {
      QuicTransportParameters peer = connection.peerTransportParameters();
      return peer == null ? PacketSize.NETWORK : PacketSize.announced(peer.maxUdpPayloadSize());
    }

    @Override
    public void opened(QuicLink<WorkerMessage, LeaderMessage> link) {
      unopened.remove(link);
      gate.opened();
      SessionId id = new SessionId(++lastSession);
      session = id;
      sessions.put(id, link);
      listener.connected(
          id, Objects.requireNonNull(worker), Objects.requireNonNull(facts), link.address());
    }

    @Override
    public void received(QuicLink<WorkerMessage, LeaderMessage> link, WorkerMessage message) {
      listener.received(Objects.requireNonNull(session), message);
    }

    @Override
    public void datagram(QuicLink<WorkerMessage, LeaderMessage> link, ByteBuf datagram)
        throws ProtocolException {
      throw new ProtocolException("workers send no datagrams");
    }

    @Override
    public void writable(QuicLink<WorkerMessage, LeaderMessage> link, StreamKind kind) {
      if (session != null) {
        listener.writable(session, kind);
      }
    }

    @Override
    public void ended(QuicLink<WorkerMessage, LeaderMessage> link, LinkEnd end) {
      unopened.remove(link);
      if (!link.isOpened()) {
        gate.failed();
      }
      if (!link.isOpened() && !link.isFaultLogged()) {
        neverOpened.warn(link.peerName(), end.reason());
      }
      if (session != null) {
        sessions.remove(session);
        listener.closed(session, end.reason());
      }
    }

    private X509Certificate certificate(QuicChannel channel) throws SSLPeerUnverifiedException {
      Certificate[] chain =
          Objects.requireNonNull(channel.sslEngine()).getSession().getPeerCertificates();
      if (chain.length == 0 || !(chain[0] instanceof X509Certificate first)) {
        throw new SSLPeerUnverifiedException("no certificate was presented");
      }
      return first;
    }
  }
}

package io.hypersync.wire.quic;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateDates;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.PeerCertificates;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.unix.UnixChannel;
import io.netty.incubator.codec.quic.QuicChannel;
import io.netty.incubator.codec.quic.QuicSslContext;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's transport over QUIC (hypersync.md 12.1, 18). Each attempt uses a new UDP port, so that
 * no packet of an earlier connection reaches a later one.
 */
public final class QuicWorkerClient implements WorkerTransport {
  private static final Logger log = LoggerFactory.getLogger(QuicWorkerClient.class);

  /** No file descriptor. */
  private static final int NONE = -1;

  private static final long STOP_TIMEOUT_MS = 2_000;

  private final Identity identity;
  private final WorkerTransportListener listener;
  private final QuicOptions options;
  private final EventLoopGroup loop;
  private final WorkspaceTrust trust;
  private final QuicSslContext tls;
  private volatile @Nullable Attempt current;

  private QuicWorkerClient(
      Identity identity,
      WorkspaceId workspace,
      WorkerTransportListener listener,
      QuicOptions options) {
    this.identity = identity;
    this.listener = listener;
    this.options = options;
    this.loop = Udp.newLoop("hypersync-worker-net");
    this.trust =
        new WorkspaceTrust(
            chain -> PeerCertificates.verifyLeader(chain, identity.caCert(), workspace));
    this.tls = QuicSetup.workerTls(identity, trust);
  }

  /**
   * Makes a client without connecting.
   *
   * @param identity the worker's certificate and key
   * @param workspace the workspace whose leader to accept
   */
  public static QuicWorkerClient create(
      Identity identity,
      WorkspaceId workspace,
      WorkerTransportListener listener,
      QuicOptions options) {
    return new QuicWorkerClient(identity, workspace, listener, options);
  }

  @Override
  public void connect(InetSocketAddress leader) {
    if (current != null) {
      throw new IllegalStateException("there is a connection, or an attempt at one, already");
    }
    Attempt attempt = new Attempt(leader);
    current = attempt;
    // Not in this call: the outcome must not be reported before this method returns.
    loop.next().execute(attempt::start);
  }

  @Override
  public void send(WorkerMessage message) {
    QuicLink<LeaderMessage, WorkerMessage> link = openLink();
    if (link != null) {
      link.send(message);
    }
  }

  @Override
  public void flush() {
    if (current != null && current.link != null) {
      current.batch.hold();
      try {
        current.link.flush();
      } finally {
        current.batch.release();
      }
    }
  }

  @Override
  public void disconnect() {
    if (current != null) {
      current.giveUp(CloseCode.DONE, "the worker disconnects");
    }
  }

  @Override
  public void measure(Consumer<PathFigures> then) {
    QuicLink<LeaderMessage, WorkerMessage> link = openLink();
    if (link != null) {
      link.measure(then);
    }
  }

  @Override
  public boolean isWritable(StreamKind kind) {
    QuicLink<LeaderMessage, WorkerMessage> link = openLink();
    return link != null && link.isWritable(kind);
  }

  @Override
  public void setReading(StreamKind kind, boolean reading) {
    QuicLink<LeaderMessage, WorkerMessage> link = openLink();
    if (link != null) {
      link.setReading(kind, reading);
    }
  }

  @Override
  public boolean hasUnread(IntPredicate readable) {
    Attempt attempt = current;
    return attempt != null && attempt.hasUnread(readable);
  }

  @Override
  public ScheduledExecutorService executor() {
    return loop.next();
  }

  @Override
  public void shutdown() {
    if (loop.isShuttingDown()) {
      return;
    }
    var _ =
        loop.next()
            .submit(
                () -> {
                  if (current != null) {
                    current.closeNow();
                  }
                })
            .awaitUninterruptibly(STOP_TIMEOUT_MS);
    loop.shutdownGracefully(0, STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(STOP_TIMEOUT_MS * 2);
  }

  private @Nullable QuicLink<LeaderMessage, WorkerMessage> openLink() {
    return current != null && current.link != null && current.link.isOpened() ? current.link : null;
  }

  private void flushPoint() {
    try {
      listener.flushPoint();
    } catch (RuntimeException e) {
      log.error("internal error while answering a batch", e);
    }
  }

  /** One attempt to connect, and the connection that comes of it. */
  private final class Attempt implements LinkEvents<LeaderMessage, WorkerMessage> {
    private final InetSocketAddress leader;
    private final BatchHandler batch = new BatchHandler(QuicWorkerClient.this::flushPoint);
    private @Nullable Channel socket;
    private @Nullable QuicLink<LeaderMessage, WorkerMessage> link;
    private boolean over;
    private volatile int descriptor = NONE;

    Attempt(InetSocketAddress leader) {
      this.leader = leader;
    }

    void start() {
      if (over) {
        return;
      }
      if (leader.isUnresolved()) {
        failed(
            ConnectFailure.UNREACHABLE, "the host name " + leader.getHostString() + " is unknown");
        return;
      }
      Udp.bootstrap(loop, options)
          .handler(
              new ChannelInitializer<DatagramChannel>() {
                @Override
                protected void initChannel(DatagramChannel udp) {
                  Udp.join(udp.pipeline());
                  udp.pipeline()
                      .addLast(batch)
                      .addLast(QuicSetup.workerCodec(tls, options, packets()).build());
                }
              })
          .bind(0)
          .addListener((ChannelFuture bound) -> bound(bound));
    }

    boolean hasUnread(IntPredicate readable) {
      int socketNow = descriptor;
      return batch.isDelivering() || (socketNow != NONE && readable.test(socketNow));
    }

    private PacketSize packets() {
      return PacketSize.towards(leader.getAddress());
    }

    private void bound(ChannelFuture bound) {
      if (!bound.isSuccess()) {
        failed(ConnectFailure.UNREACHABLE, "no UDP port can be had: " + bound.cause().getMessage());
        return;
      }
      DatagramChannel udp = (DatagramChannel) bound.channel();
      socket = udp;
      if (udp instanceof UnixChannel unix) {
        descriptor = unix.fd().intValue();
      }
      if (over) {
        var _ = udp.close();
        return;
      }
      QuicChannel.newBootstrap(udp)
          .handler(
              new ChannelInitializer<QuicChannel>() {
                @Override
                protected void initChannel(QuicChannel connection) {
                  link =
                      QuicLink.install(
                          connection,
                          MessageCodec.WORKER,
                          options,
                          batch,
                          Attempt.this,
                          leader,
                          trust);
                }
              })
          .streamHandler(
              new ChannelInitializer<QuicStreamChannel>() {
                @Override
                protected void initChannel(QuicStreamChannel stream) {
                  QuicLink.accept(stream);
                }
              })
          .remoteAddress(leader)
          .connect()
          .addListener(
              connected -> {
                if (!connected.isSuccess() && link != null) {
                  link.handshakeFailed(connected.cause());
                }
              });
      var _ =
          loop.next()
              .schedule(this::timeOut, options.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void handshakeDone(QuicLink<LeaderMessage, WorkerMessage> done) {
      Udp.joinPackets(done.channel(), packets());
      done.openStreams();
    }

    @Override
    public void opened(QuicLink<LeaderMessage, WorkerMessage> opened) {
      listener.connected(leader);
    }

    @Override
    public void received(QuicLink<LeaderMessage, WorkerMessage> from, LeaderMessage message) {
      listener.received(message);
      if (message instanceof LeaderMessage.Refused refused) {
        from.close(
            CloseCode.DONE,
            "refused by the leader: " + refused.reason() + ", " + refused.message());
      }
    }

    @Override
    public void datagram(QuicLink<LeaderMessage, WorkerMessage> from, ByteBuf datagram)
        throws ProtocolException {
      listener.received(SymbolFrames.decode(datagram));
    }

    @Override
    public void writable(QuicLink<LeaderMessage, WorkerMessage> of, StreamKind kind) {
      listener.writable(kind);
    }

    @Override
    public void ended(QuicLink<LeaderMessage, WorkerMessage> of, LinkEnd end) {
      if (over) {
        return;
      }
      if (of.isOpened()) {
        finish();
        listener.closed(end.reason());
      } else {
        failed(failure(end), describe(end));
      }
    }

    /**
     * Gives a leader that has answered more time: a new attempt would only add load to two busy
     * hosts.
     */
    private void timeOut() {
      QuicLink<LeaderMessage, WorkerMessage> slow = link;
      if (isOpenOrOver()) {
        return;
      }
      if (slow == null) {
        noAnswer();
      } else {
        slow.countReceived(
            received -> {
              if (received == 0) {
                noAnswer();
              } else {
                var _ =
                    loop.next()
                        .schedule(
                            this::tooSlow, QuicLink.LONGEST_OPENING_MS, TimeUnit.MILLISECONDS);
              }
            });
      }
    }

    private void noAnswer() {
      if (!isOpenOrOver()) {
        failed(
            ConnectFailure.UNREACHABLE,
            "no answer from "
                + HostPorts.of(leader)
                + " within "
                + options.connectTimeout().toMillis()
                + " ms: is the leader running there, and does a firewall let UDP pass?");
      }
    }

    private void tooSlow() {
      if (!isOpenOrOver()) {
        failed(
            ConnectFailure.UNREACHABLE,
            HostPorts.of(leader)
                + " answers, but so slowly that no connection came about: is one of the machines"
                + " overloaded?");
      }
    }

    private boolean isOpenOrOver() {
      return over || (link != null && link.isOpened());
    }

    void giveUp(CloseCode code, String reason) {
      if (link != null && link.isOpened()) {
        link.close(code, reason);
      } else {
        finish();
      }
    }

    void closeNow() {
      if (link != null && link.isOpened()) {
        link.closeNow(CloseCode.DONE, "the worker stops");
      } else {
        finish();
      }
    }

    private void failed(ConnectFailure failure, String message) {
      if (!over) {
        finish();
        listener.connectFailed(failure, message);
      }
    }

    /** Closes the socket, which also closes the connection on it. */
    private void finish() {
      over = true;
      descriptor = NONE;
      if (current == this) {
        current = null;
      }
      if (socket != null) {
        var _ = socket.close();
      }
    }

    private ConnectFailure failure(LinkEnd end) {
      return switch (end.cause()) {
        case CERTIFICATE -> ConnectFailure.CERTIFICATE;
        case PEER -> {
          if (end.tlsAlert() == LinkEnd.NO_APPLICATION_PROTOCOL) {
            yield ConnectFailure.PROTOCOL;
          }
          // Without an alert the leader may just be stopping; an alert means it will never accept
          // this worker.
          yield end.tlsAlert() >= 0 ? ConnectFailure.CERTIFICATE : ConnectFailure.UNREACHABLE;
        }
        case HERE, SILENCE, TRANSPORT -> ConnectFailure.UNREACHABLE;
      };
    }

    private String describe(LinkEnd end) {
      String dates =
          end.tlsAlert() == LinkEnd.CERTIFICATE_EXPIRED
              ? "; " + CertificateDates.describe(identity.cert(), Instant.now())
              : "";
      return "cannot connect to the leader at "
          + HostPorts.of(leader)
          + ": "
          + end.reason()
          + dates;
    }
  }
}

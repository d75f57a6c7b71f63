package io.hypersync.wire.quic;

import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.transport.PathFigures;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.incubator.codec.quic.QuicChannel;
import io.netty.incubator.codec.quic.QuicConnectionCloseEvent;
import io.netty.incubator.codec.quic.QuicConnectionPathStats;
import io.netty.incubator.codec.quic.QuicConnectionStats;
import io.netty.incubator.codec.quic.QuicDatagramExtensionEvent;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import io.netty.incubator.codec.quic.QuicStreamType;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, with its six streams, on either side.
 *
 * <p>Both sides open their streams as soon as the handshake is done. The link is open when the
 * peer's three streams have arrived, and delivers nothing before. For a worker this is also the
 * sign that the leader has accepted its certificate: in TLS 1.3 a client's handshake completes
 * before the server has verified the client's certificate.
 *
 * <p>Any violation by the peer ends this connection, with one line in the log, and affects no
 * other. Used by the event loop only.
 */
final class QuicLink<I, O> extends ChannelInboundHandlerAdapter {
  /** The longest that a connection may take to open, however busy both hosts are. */
  static final long LONGEST_OPENING_MS = 6_000;

  private static final int LOOKS_IN_IDLE_TIME = 8;

  private static final AttributeKey<QuicLink<?, ?>> KEY = AttributeKey.valueOf("hypersync-link");
  private static final Logger log = LoggerFactory.getLogger(QuicLink.class);

  private final QuicChannel channel;
  private final MessageCodec<I, O> messageCodec;
  private final QuicOptions options;
  private final BatchHandler batch;
  private final LinkEvents<I, O> events;
  private final SocketAddress address;
  private final WorkspaceTrust trust;
  private final Map<StreamKind, StreamWriter> writers = new EnumMap<>(StreamKind.class);
  private final Map<StreamKind, StreamReader<I>> readers = new EnumMap<>(StreamKind.class);
  private String peerName;
  private boolean handshaken;
  private boolean opened;
  private boolean unflushed;
  private boolean hasDatagrams;
  private volatile int maxDatagramBytes;
  private volatile boolean ending;
  private boolean ended;
  private boolean faultLogged;
  private @Nullable LinkEnd end;
  private @Nullable QuicConnectionCloseEvent closeEvent;
  private @Nullable Throwable failure;

  /** The next check of whether the connection is opening; see {@link #limitOpening}. */
  private @Nullable ScheduledFuture<?> openingLimit;

  /**
   * How many new packets had arrived from the peer at the last check; the first one began the
   * connection.
   */
  private long receivedPackets = 1;

  private long openingMs;

  /** The value of {@link #openingMs} when the last new packet was noticed. */
  private long lastProgressMs;

  private QuicLink(
      QuicChannel channel,
      MessageCodec<I, O> messageCodec,
      QuicOptions options,
      BatchHandler batch,
      LinkEvents<I, O> events,
      SocketAddress address,
      WorkspaceTrust trust) {
    this.channel = channel;
    this.messageCodec = messageCodec;
    this.options = options;
    this.batch = batch;
    this.events = events;
    this.address = address;
    this.trust = trust;
    this.peerName = (messageCodec.isWorker() ? "the leader at " : "connection from ") + address;
  }

  /**
   * Installs a link on a connection whose handshake has not begun.
   *
   * @param batch the handler of the socket
   */
  static <I, O> QuicLink<I, O> install(
      QuicChannel channel,
      MessageCodec<I, O> messageCodec,
      QuicOptions options,
      BatchHandler batch,
      LinkEvents<I, O> events,
      SocketAddress address,
      WorkspaceTrust trust) {
    QuicLink<I, O> link =
        new QuicLink<>(channel, messageCodec, options, batch, events, address, trust);
    batch.hurry(); // until it is open or has ended
    channel.attr(KEY).set(link);
    channel.pipeline().addLast(link);
    return link;
  }

  /** Installs a reader on a stream that the peer has opened. */
  static void accept(QuicStreamChannel stream) {
    QuicLink<?, ?> link = Objects.requireNonNull(stream.parent().attr(KEY).get());
    stream.pipeline().addLast(link.newReader(null));
  }

  QuicChannel channel() {
    return channel;
  }

  SocketAddress address() {
    return address;
  }

  /** How log lines and messages name the peer. */
  String peerName() {
    return peerName;
  }

  /** Whether a log line has already said why the connection ends. */
  boolean isFaultLogged() {
    return faultLogged;
  }

  /** Sets how log lines and messages name the peer. */
  void setPeerName(String name) {
    peerName = name;
  }

  /** The connection could not be established; closes it, with this reason if there is none yet. */
  void handshakeFailed(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    closeSoon();
  }

  /** Whether {@link LinkEvents#opened} was called. */
  boolean isOpened() {
    return opened;
  }

  /** Whether the connection has ended or is about to; then nothing is delivered any more. */
  boolean hasEnded() {
    return ending;
  }

  /** Opens this side's three streams. */
  void openStreams() {
    for (StreamKind kind : StreamKind.values()) {
      if (kind.openedByWorker() == messageCodec.isWorker()) {
        openStream(kind);
      }
    }
    if (!opened) {
      limitOpening();
    }
  }

  /**
   * Watches that the connection makes progress until it is open. It is closed when no new packet
   * has arrived for three quarters of the idle timeout, and after {@link #LONGEST_OPENING_MS} in
   * any case. A handshake between busy hosts can take seconds.
   */
  void limitOpening() {
    endOpeningLimit();
    long pauseMs = Math.max(1, options.idleTimeout().toMillis() / LOOKS_IN_IDLE_TIME);
    openingLimit =
        channel.eventLoop().schedule(() -> checkOpened(pauseMs), pauseMs, TimeUnit.MILLISECONDS);
  }

  /**
   * Reports how many packets from the peer QUIC has accepted; copies of one packet count once.
   *
   * @param then called on the event loop; with 0 if the connection has ended
   */
  void countReceived(LongConsumer then) {
    channel
        .collectStats()
        .addListener(
            (Future<QuicConnectionStats> stats) ->
                then.accept(
                    stats.isSuccess() && stats.getNow() != null ? stats.getNow().recv() : 0));
  }

  /**
   * Queues a message. Closes the connection if the stream's queue then exceeds its limit.
   *
   * @throws IllegalArgumentException if the message is longer than its frame may be
   */
  void send(O message) {
    StreamKind kind = messageCodec.streamOf(message);
    StreamWriter writer = writers.get(kind);
    if (ending || writer == null) {
      return;
    }
    ByteBuf buffer = writer.buffer();
    int before = buffer.writerIndex();
    messageCodec.encode(message, buffer);
    if (!writer.appended(buffer.writerIndex() - before)) {
      fail(
          CloseCode.SLOW,
          "more than "
              + options.maxQueuedBytes()
              + " bytes wait on the "
              + kind
              + " stream, which it does not read");
    }
  }

  /** The most bytes that the peer takes in one datagram; 0 if it takes none. Any thread. */
  int maxDatagramBytes() {
    return ending ? 0 : maxDatagramBytes;
  }

  /** A buffer for a datagram of so many bytes. */
  ByteBuf datagram(int bytes) {
    return channel.alloc().directBuffer(bytes);
  }

  /** Queues a datagram, which QUIC drops if its queue is full. Takes the buffer over. */
  void sendDatagram(ByteBuf datagram) {
    if (ending || !opened) {
      datagram.release();
      return;
    }
    hasDatagrams = true;
    var _ = channel.write(datagram);
  }

  /** Measures the path; nothing is called if that fails, or the connection has ended. */
  void measure(Consumer<PathFigures> then) {
    channel
        .collectPathStats(0)
        .addListener(
            (Future<QuicConnectionPathStats> found) -> {
              QuicConnectionPathStats path = found.isSuccess() ? found.getNow() : null;
              if (path != null && !ending) {
                PathFigures figures =
                    new PathFigures(path.rtt(), path.cwnd(), path.sent(), path.lost());
                guarded(() -> then.accept(figures));
              }
            });
  }

  /** Marks the link as needing a flush; false if it was marked already. */
  boolean markUnflushed() {
    boolean first = !unflushed;
    unflushed = true;
    return first;
  }

  /**
   * Hands the queued messages to QUIC, those of the most urgent stream first, and then datagrams.
   */
  void flush() {
    unflushed = false;
    if (!ending) {
      flushWriters();
      if (hasDatagrams) {
        hasDatagrams = false;
        channel.flush();
      }
    }
  }

  boolean isWritable(StreamKind kind) {
    StreamWriter writer = writers.get(kind);
    return !ending && writer != null && writer.isWritable();
  }

  void setReading(StreamKind kind, boolean reading) {
    StreamReader<I> reader = readers.get(kind);
    if (!ending && opened && reader != null) {
      reader.setReading(reading);
    }
  }

  /** Closes the connection because of an error of the peer, and logs it. */
  void fail(CloseCode code, @Nullable String fault) {
    String text = String.valueOf(fault);
    if (!ending && !faultLogged) {
      faultLogged = true;
      log.warn("{}: {}; its connection is closed", peerName, text);
    }
    close(code, text);
  }

  /** Closes the connection; the reason is sent to the peer. */
  void close(CloseCode code, String reason) {
    if (!ending) {
      ending = true;
      end = LinkEnd.here(reason);
      // Not in this call, which may come from QUIC delivering bytes: closing frees QUIC's state.
      channel.eventLoop().execute(() -> closeNow(code, reason));
    }
  }

  /**
   * Sends a last message and closes the connection after the grace time, unless the peer closes it
   * before. Nothing is received meanwhile.
   */
  void closeAfter(O lastMessage, String reason, long graceMs) {
    if (!ending) {
      send(lastMessage);
      flushWriters();
      ending = true;
      end = LinkEnd.here(reason);
      var _ =
          channel
              .eventLoop()
              .schedule(() -> closeNow(CloseCode.REFUSED, reason), graceMs, TimeUnit.MILLISECONDS);
    }
  }

  /** Closes the connection in this call; used while the event loop is being stopped. */
  void closeNow(CloseCode code, String reason) {
    ending = true;
    if (end == null) {
      end = LinkEnd.here(reason);
    }
    if (channel.isOpen()) {
      ByteBuf text = Unpooled.copiedBuffer(reason, StandardCharsets.UTF_8);
      var _ = channel.close(true, code.code(), text);
    }
  }

  /**
   * Called when the peer has opened a stream.
   *
   * @param code the first byte on it
   * @return its kind, or null if the stream is a violation, which closes the connection
   */
  @Nullable StreamKind peerOpened(QuicStreamChannel stream, StreamReader<I> reader, int code) {
    StreamKind kind = StreamKind.ofCode(code);
    if (kind == null) {
      fail(CloseCode.PROTOCOL, "a stream of unknown kind " + code);
      return null;
    }
    boolean bothWays = stream.type() == QuicStreamType.BIDIRECTIONAL;
    if (kind.openedByWorker() == messageCodec.isWorker()
        || bothWays != (kind == StreamKind.CONTROL)) {
      fail(CloseCode.PROTOCOL, "it cannot open a stream of kind " + kind + " like this");
      return null;
    }
    if (readers.putIfAbsent(kind, reader) != null) {
      fail(CloseCode.PROTOCOL, "a second " + kind + " stream");
      return null;
    }
    if (bothWays) {
      addWriter(kind, stream);
    }
    if (hasAllPeerStreams()) {
      opened = true;
      endOpeningLimit();
      // Not in this call: the end of the present batch must deliver what came with the streams.
      channel.eventLoop().execute(batch::calm);
      readers.values().forEach(StreamReader::enable);
      guarded(() -> events.opened(this));
      List.copyOf(readers.values()).forEach(StreamReader::begin);
    } else {
      reader.setReading(false);
    }
    return kind;
  }

  void received(I message) {
    guarded(() -> events.received(this, message));
  }

  void streamEnded(@Nullable StreamKind kind) {
    if (channel.isOpen()) {
      fail(CloseCode.PROTOCOL, "it closed its " + (kind == null ? "unnamed" : kind) + " stream");
    }
  }

  void streamFailed(@Nullable StreamKind kind, Throwable cause) {
    if (channel.isOpen()) {
      fail(
          CloseCode.PROTOCOL,
          "the " + (kind == null ? "unnamed" : kind) + " stream failed: " + cause.getMessage());
    }
  }

  /** Streams have channels of their own: what is read here are datagrams. */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof ByteBuf datagram)) {
      ctx.fireChannelRead(message);
      return;
    }
    batch.delivered();
    try {
      if (opened && !ending) {
        guarded(() -> deliver(datagram));
      }
    } finally {
      datagram.release();
    }
  }

  private void deliver(ByteBuf datagram) {
    try {
      events.datagram(this, datagram);
    } catch (ProtocolException e) {
      fail(CloseCode.PROTOCOL, e.getMessage());
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof QuicDatagramExtensionEvent datagrams) {
      maxDatagramBytes = datagrams.maxLength();
    } else if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess() && !handshaken) {
        handshaken = true;
        guarded(() -> events.handshakeDone(this));
      } else if (!handshake.isSuccess()) {
        handshakeFailed(handshake.cause());
      }
    } else if (event instanceof QuicConnectionCloseEvent close) {
      closeEvent = close;
      // On its own, QUIC would keep the connection for three more timeouts.
      closeSoon();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (handshaken) {
      failure = cause;
    } else {
      handshakeFailed(cause);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    connectionEnded();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    connectionEnded();
  }

  private void connectionEnded() {
    if (ended) {
      return;
    }
    ended = true;
    ending = true;
    endOpeningLimit();
    if (!opened) {
      batch.calm();
    }
    writers.values().forEach(StreamWriter::discard);
    events.ended(this, end != null ? end : endByOthers());
  }

  /**
   * Closes the connection in a task of its own: QUIC is in the middle of its work now, and would
   * not send the reason to the peer.
   */
  private void closeSoon() {
    channel
        .eventLoop()
        .execute(
            () -> {
              var _ = channel.close();
            });
  }

  private LinkEnd endByOthers() {
    String refusal = trust.refusal(channel.sslEngine());
    if (refusal != null) {
      return LinkEnd.certificate(refusal);
    }
    if (closeEvent != null) {
      return LinkEnd.peer(closeEvent);
    }
    return channel.isTimedOut()
        ? LinkEnd.silence(options.idleTimeout().toMillis())
        : LinkEnd.transport(failure);
  }

  private void openStream(StreamKind kind) {
    boolean bothWays = kind == StreamKind.CONTROL;
    StreamReader<I> reader = newReader(kind);
    channel
        .createStream(
            bothWays ? QuicStreamType.BIDIRECTIONAL : QuicStreamType.UNIDIRECTIONAL, reader)
        .addListener(
            created -> {
              if (!created.isSuccess()) {
                fail(
                    CloseCode.PROTOCOL,
                    "the " + kind + " stream cannot be opened: " + created.cause().getMessage());
                return;
              }
              QuicStreamChannel stream = (QuicStreamChannel) created.getNow();
              StreamWriter writer = addWriter(kind, stream);
              writer.buffer().writeByte(kind.code());
              writer.appended(1);
              writer.flush();
              if (bothWays) {
                readers.put(kind, reader);
              }
            });
  }

  private StreamWriter addWriter(StreamKind kind, QuicStreamChannel stream) {
    StreamWriter writer =
        new StreamWriter(
            stream,
            kind,
            options,
            batch,
            () -> {
              if (!ending) {
                guarded(() -> events.writable(this, kind));
              }
            },
            cause -> streamFailed(kind, cause));
    writers.put(kind, writer);
    return writer;
  }

  private StreamReader<I> newReader(@Nullable StreamKind kind) {
    return new StreamReader<>(this, messageCodec, batch, kind);
  }

  private boolean hasAllPeerStreams() {
    for (StreamKind kind : StreamKind.values()) {
      if (kind.openedByWorker() != messageCodec.isWorker() && !readers.containsKey(kind)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Closes the connection if it opens too slowly. Otherwise a peer that sends a packet now and then
   * could keep its connection in this state, and with it the effect of {@link BatchHandler#hurry}.
   */
  private void checkOpened(long pauseMs) {
    openingMs += pauseMs;
    countReceived(
        received -> {
          if (opened || ending) {
            return;
          }
          if (received > receivedPackets) {
            receivedPackets = received;
            lastProgressMs = openingMs;
          }
          long silentMs = openingMs - lastProgressMs;
          if (silentMs < options.idleTimeout().toMillis() * 3 / 4
              && openingMs < LONGEST_OPENING_MS) {
            limitOpening();
          } else if (handshaken) {
            fail(CloseCode.PROTOCOL, "it did not open its streams");
          } else {
            // The peer is unknown; the server limits the number of log lines about such peers.
            close(CloseCode.DONE, "its handshake did not end within " + openingMs + " ms");
          }
        });
  }

  private void endOpeningLimit() {
    if (openingLimit != null) {
      openingLimit.cancel(false);
    }
  }

  private void flushWriters() {
    for (StreamWriter writer : writers.values()) {
      writer.flush();
    }
  }

  /**
   * Runs a callback of the owner. Its exceptions must not stop the event loop, which serves other
   * connections.
   */
  private void guarded(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException e) {
      log.error("{}: internal error; its connection is closed", peerName, e);
      close(CloseCode.INTERNAL, "internal error: " + e);
    }
  }
}

package io.hypersync.wire.quic;

import io.hypersync.wire.message.StreamKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.incubator.codec.quic.QuicChannel;
import io.netty.incubator.codec.quic.QuicConnectionCloseEvent;
import io.netty.incubator.codec.quic.QuicConnectionStats;
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
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, seen from either side: its six streams, and its end.
 *
 * <p>Both sides open their streams as soon as the handshake is done. A side is open when the other
 * side's three streams are there, and delivers nothing before. For a worker this is also the sign
 * that the leader has accepted its certificate: in TLS 1.3 a client's handshake is done before the
 * server has looked at it.
 *
 * <p>Whatever the other side does wrong ends this connection, with one line in the log, and nothing
 * else.
 */
final class QuicLink<I, O> extends ChannelInboundHandlerAdapter {
  /** So long a connection may take to open, however busy both machines are. */
  static final long LONGEST_OPENING_MS = 6_000;

  private static final int LOOKS_IN_IDLE_TIME = 8;

  private static final AttributeKey<QuicLink<?, ?>> KEY = AttributeKey.valueOf("hypersync-link");
  private static final Logger log = LoggerFactory.getLogger(QuicLink.class);

  private final QuicChannel channel;
  private final Dialect<I, O> dialect;
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
  private boolean ending;
  private boolean ended;
  private boolean faultLogged;
  private @Nullable LinkEnd end;
  private @Nullable QuicConnectionCloseEvent closeEvent;
  private @Nullable Throwable failure;

  /** Looks at a connection that is not open by then. */
  private @Nullable ScheduledFuture<?> openingLimit;

  /** How many packets of the peer's counted when that was last looked at; one begins it. */
  private long heardPackets = 1;

  private long openingMs;

  /** When, of {@link #openingMs}, something new had come. */
  private long gotOnMs;

  private QuicLink(
      QuicChannel channel,
      Dialect<I, O> dialect,
      QuicOptions options,
      BatchHandler batch,
      LinkEvents<I, O> events,
      SocketAddress address,
      WorkspaceTrust trust) {
    this.channel = channel;
    this.dialect = dialect;
    this.options = options;
    this.batch = batch;
    this.events = events;
    this.address = address;
    this.trust = trust;
    this.peerName = (dialect.isWorker() ? "the leader at " : "connection from ") + address;
  }

  /**
   * Puts a link on a connection whose handshake has not begun.
   *
   * @param batch of the socket
   */
  static <I, O> QuicLink<I, O> install(
      QuicChannel channel,
      Dialect<I, O> dialect,
      QuicOptions options,
      BatchHandler batch,
      LinkEvents<I, O> events,
      SocketAddress address,
      WorkspaceTrust trust) {
    QuicLink<I, O> link = new QuicLink<>(channel, dialect, options, batch, events, address, trust);
    batch.hurry(); // Until it is open, or has ended.
    channel.attr(KEY).set(link);
    channel.pipeline().addLast(link);
    return link;
  }

  /** Puts a reader on a stream that the other side has opened. */
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

  /** What the other side is called in messages. */
  String peerName() {
    return peerName;
  }

  /** Whether a line in the log has said why it ends. */
  boolean isFaultLogged() {
    return faultLogged;
  }

  /** What to call the other side in messages. */
  void setPeerName(String name) {
    peerName = name;
  }

  /** The connection could not be made, for this reason; it ends. */
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

  /** Whether it has ended or is about to: nothing is delivered any more. */
  boolean hasEnded() {
    return ending;
  }

  /** Opens this side's three streams. */
  void openStreams() {
    for (StreamKind kind : StreamKind.values()) {
      if (kind.openedByWorker() == dialect.isWorker()) {
        openStream(kind);
      }
    }
    if (!opened) {
      limitOpening();
    }
  }

  /**
   * From the first packet on it has to get on until it is open: it is ended when nothing has come
   * for three quarters of the idle timeout, before which nobody is called silent, and after {@link
   * #LONGEST_OPENING_MS}. A handshake between busy machines can take seconds.
   */
  void limitOpening() {
    endOpeningLimit();
    long pauseMs = Math.max(1, options.idleTimeout().toMillis() / LOOKS_IN_IDLE_TIME);
    openingLimit =
        channel.eventLoop().schedule(() -> checkOpened(pauseMs), pauseMs, TimeUnit.MILLISECONDS);
  }

  /**
   * Finds out how many packets of the peer have counted: copies of one do so once.
   *
   * @param then told on the event loop; 0 if the connection has ended
   */
  void countHeard(LongConsumer then) {
    channel
        .collectStats()
        .addListener(
            (Future<QuicConnectionStats> stats) ->
                then.accept(
                    stats.isSuccess() && stats.getNow() != null ? stats.getNow().recv() : 0));
  }

  /**
   * Queues a message.
   *
   * @throws IllegalArgumentException if it is too long
   */
  void send(O message) {
    StreamKind kind = dialect.streamOf(message);
    StreamWriter writer = writers.get(kind);
    if (ending || writer == null) {
      return;
    }
    ByteBuf buffer = writer.buffer();
    int before = buffer.writerIndex();
    dialect.encode(message, buffer);
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

  /** Notes that a flush is wanted; false if that was so already. */
  boolean markUnflushed() {
    boolean first = !unflushed;
    unflushed = true;
    return first;
  }

  /** Hands what is queued to QUIC, the most urgent first. */
  void flush() {
    unflushed = false;
    if (!ending) {
      flushWriters();
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

  /** Ends the connection because of the other side, and says so in the log. */
  void fail(CloseCode code, @Nullable String fault) {
    String text = String.valueOf(fault);
    if (!ending && !faultLogged) {
      faultLogged = true;
      log.warn("{}: {}; its connection is closed", peerName, text);
    }
    close(code, text);
  }

  /** Ends the connection; the other side is told why. */
  void close(CloseCode code, String reason) {
    if (!ending) {
      ending = true;
      end = LinkEnd.here(reason);
      // Not at once: this may be called while QUIC is delivering, and closing frees it.
      channel.eventLoop().execute(() -> closeNow(code, reason));
    }
  }

  /**
   * Ends the connection after a last message, when the other side has closed it or the grace time
   * is over.
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

  /** Ends the connection while the event loop is being stopped. */
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
   * The other side has opened a stream.
   *
   * @return its kind, or null if that is wrong
   */
  @Nullable StreamKind peerOpened(QuicStreamChannel stream, StreamReader<I> reader, int code) {
    StreamKind kind = StreamKind.ofCode(code);
    if (kind == null) {
      fail(CloseCode.PROTOCOL, "a stream of unknown kind " + code);
      return null;
    }
    boolean bothWays = stream.type() == QuicStreamType.BIDIRECTIONAL;
    if (kind.openedByWorker() == dialect.isWorker() || bothWays != (kind == StreamKind.CONTROL)) {
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
      // Not at once: the end of this batch delivers what came with the streams.
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

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess() && !handshaken) {
        handshaken = true;
        guarded(() -> events.handshakeDone(this));
      } else if (!handshake.isSuccess()) {
        handshakeFailed(handshake.cause());
      }
    } else if (event instanceof QuicConnectionCloseEvent close) {
      closeEvent = close;
      // QUIC itself waits for three timeouts before it is done with the connection.
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

  /** Not at once: QUIC is at work, and would not tell the other side why. */
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
    return new StreamReader<>(this, dialect, batch, kind);
  }

  private boolean hasAllPeerStreams() {
    for (StreamKind kind : StreamKind.values()) {
      if (kind.openedByWorker() != dialect.isWorker() && !readers.containsKey(kind)) {
        return false;
      }
    }
    return true;
  }

  /** Else who sends a packet now and then would stay, and with him all that is in a hurry. */
  private void checkOpened(long pauseMs) {
    openingMs += pauseMs;
    countHeard(
        heard -> {
          if (opened || ending) {
            return;
          }
          if (heard > heardPackets) {
            heardPackets = heard;
            gotOnMs = openingMs;
          }
          long silentMs = openingMs - gotOnMs;
          if (silentMs < options.idleTimeout().toMillis() * 3 / 4
              && openingMs < LONGEST_OPENING_MS) {
            limitOpening();
          } else if (handshaken) {
            fail(CloseCode.PROTOCOL, "it did not open its streams");
          } else {
            // Nothing is known of who that is: lines about him are counted.
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

  /** What the owner does wrong must not stop the event loop, which serves others too. */
  private void guarded(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException e) {
      log.error("{}: a fault of ours; its connection is closed", peerName, e);
      close(CloseCode.INTERNAL, "internal error: " + e);
    }
  }
}

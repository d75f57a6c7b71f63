package io.hypersync.wire.quic;

import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.message.StreamKind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that arrive on one stream, made into messages. What a frame claims is checked before it is
 * collected, so no more than one frame is held here; while reading is stopped, nothing is taken
 * from QUIC.
 */
final class StreamReader<I> extends ChannelInboundHandlerAdapter {
  private final QuicLink<I, ?> link;
  private final Dialect<I, ?> dialect;
  private final BatchHandler batch;
  private @Nullable StreamKind kind;
  private @Nullable QuicStreamChannel channel;
  private final FrameBuffer arrived = new FrameBuffer();
  private boolean reading;
  private boolean delivering;

  /**
   * Makes a reader.
   *
   * @param batch of the socket; told when something arrives
   * @param kind of a stream that this side opened, else null: the first byte says it
   */
  StreamReader(
      QuicLink<I, ?> link, Dialect<I, ?> dialect, BatchHandler batch, @Nullable StreamKind kind) {
    this.link = link;
    this.dialect = dialect;
    this.batch = batch;
    this.kind = kind;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = (QuicStreamChannel) ctx.channel();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf more = (ByteBuf) message;
    batch.delivered();
    if (link.hasEnded()) {
      more.release();
      return;
    }
    arrived.add(more);
    ByteBuf bytes = arrived.bytes();
    if (kind == null && bytes != null && bytes.isReadable()) {
      kind = link.peerOpened((QuicStreamChannel) ctx.channel(), this, bytes.readUnsignedByte());
    }
    deliver();
  }

  /** From {@link #begin} on this will be read, unless {@link #setReading} says otherwise. */
  void enable() {
    reading = true;
  }

  /** Delivers what is here already, and goes on. */
  void begin() {
    setReading(reading);
  }

  /** Stops or resumes; resuming delivers what is here already. */
  void setReading(boolean wanted) {
    reading = wanted;
    if (channel != null) {
      if (wanted) {
        deliver();
      }
      // Delivering may have stopped it again.
      channel.config().setAutoRead(reading);
    }
  }

  /** The other side has said its last on this stream, which only ends with the connection. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      link.streamEnded(kind);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    discard();
    link.streamEnded(kind);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    discard();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    link.streamFailed(kind, cause);
  }

  private void deliver() {
    if (delivering || kind == null) {
      return;
    }
    delivering = true;
    try {
      while (reading && !link.hasEnded()) {
        ByteBuf bytes = arrived.bytes();
        I message = bytes == null ? null : dialect.decode(kind, bytes);
        if (message == null) {
          break;
        }
        link.received(message);
      }
    } catch (ProtocolException e) {
      link.fail(CloseCode.PROTOCOL, e.getMessage());
    } finally {
      delivering = false;
      if (link.hasEnded()) {
        discard();
      } else {
        arrived.discardIfDecoded();
      }
    }
  }

  private void discard() {
    if (!delivering) {
      arrived.discard();
    }
  }
}

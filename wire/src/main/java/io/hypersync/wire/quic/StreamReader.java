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
 * Decodes the bytes that arrive on one stream into messages. Bytes wait here only until their frame
 * is complete, and its header is checked first, so no more than one frame is held. While reading is
 * stopped, nothing is taken from QUIC. Used by the event loop only.
 */
final class StreamReader<I> extends ChannelInboundHandlerAdapter {
  private final QuicLink<I, ?> link;
  private final MessageCodec<I, ?> messageCodec;
  private final BatchHandler batch;
  private @Nullable StreamKind kind;
  private @Nullable QuicStreamChannel channel;
  private final FrameBuffer arrived = new FrameBuffer();
  private boolean reading;
  private boolean delivering;

  /**
   * Makes a reader.
   *
   * @param batch the handler of the socket, which is notified when bytes arrive
   * @param kind the kind of a stream that this side opened, else null: its first byte is the kind
   */
  StreamReader(
      QuicLink<I, ?> link,
      MessageCodec<I, ?> messageCodec,
      BatchHandler batch,
      @Nullable StreamKind kind) {
    this.link = link;
    this.messageCodec = messageCodec;
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

  /** Lets {@link #begin} start to read, unless {@link #setReading} stops it before. */
  void enable() {
    reading = true;
  }

  /** Delivers the messages that have arrived, and starts to read. */
  void begin() {
    setReading(reading);
  }

  /** Stops or resumes reading; resuming delivers the messages that have arrived. */
  void setReading(boolean wanted) {
    reading = wanted;
    if (channel != null) {
      if (wanted) {
        deliver();
      }
      // A message that was just delivered may have made its receiver stop reading again.
      channel.config().setAutoRead(reading);
    }
  }

  /** A stream must last as long as its connection; if the peer ends it, that is a violation. */
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
        I message = bytes == null ? null : messageCodec.decode(kind, bytes);
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

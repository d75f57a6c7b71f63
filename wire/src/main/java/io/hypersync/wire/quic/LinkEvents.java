package io.hypersync.wire.quic;

import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.message.StreamKind;
import io.netty.buffer.ByteBuf;

/** Events of a {@link QuicLink}; all are called on the event loop. */
interface LinkEvents<I, O> {
  /**
   * The TLS handshake is done; continue with {@link QuicLink#openStreams} or {@link QuicLink#fail}.
   */
  void handshakeDone(QuicLink<I, O> link);

  /** The peer has opened all its streams. */
  void opened(QuicLink<I, O> link);

  /** A message has arrived. Called between {@code opened} and {@code ended}. */
  void received(QuicLink<I, O> link, I message);

  /**
   * A datagram has arrived, which the callee does not keep.
   *
   * @throws ProtocolException if it is none that this side takes; this ends the connection
   */
  void datagram(QuicLink<I, O> link, ByteBuf datagram) throws ProtocolException;

  void writable(QuicLink<I, O> link, StreamKind kind);

  /** The connection has ended; called exactly once, whatever was called before. */
  void ended(QuicLink<I, O> link, LinkEnd end);
}

package io.hypersync.wire.quic;

import io.hypersync.wire.message.StreamKind;

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

  void writable(QuicLink<I, O> link, StreamKind kind);

  /** The connection has ended; called exactly once, whatever was called before. */
  void ended(QuicLink<I, O> link, LinkEnd end);
}

package io.hypersync.wire.quic;

import io.hypersync.wire.message.StreamKind;

/** What happens to a {@link QuicLink}; all on the event loop. */
interface LinkEvents<I, O> {
  /** TLS is done; {@link QuicLink#openStreams} goes on, {@link QuicLink#fail} ends it. */
  void handshakeDone(QuicLink<I, O> link);

  /** The other side has opened all its streams. */
  void opened(QuicLink<I, O> link);

  /** A message; between {@code opened} and {@code ended}. */
  void received(QuicLink<I, O> link, I message);

  void writable(QuicLink<I, O> link, StreamKind kind);

  /** The connection has ended; exactly once, whatever was called before. */
  void ended(QuicLink<I, O> link, LinkEnd end);
}

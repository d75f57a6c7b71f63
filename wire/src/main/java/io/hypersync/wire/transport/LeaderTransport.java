package io.hypersync.wire.transport;

import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of all connections. Single-threaded: all callbacks of the listener come on the
 * thread of {@link #executor()}, and all methods are to be called on it unless they say otherwise.
 */
public interface LeaderTransport {

  /**
   * Queues a message on the stream it belongs to; {@link #flush()} sends it. Does nothing if the
   * session has ended. A session whose queue exceeds its limit is closed; check {@link #isWritable}
   * before.
   *
   * @throws IllegalArgumentException if the message is longer than its frame may be
   */
  void send(SessionId session, LeaderMessage message);

  /**
   * The most bytes that a symbol in one datagram may have for this session; 0 if the worker takes
   * no datagrams, or the session has ended. May be called from any thread.
   */
  int maxSymbolBytes(SessionId session);

  /**
   * Queues a symbol, in a datagram that may be lost, also before it leaves this host: bounding how
   * much is on its way is the caller's task. Does nothing if the session has ended.
   */
  void send(SessionId session, ChunkSymbol symbol);

  /**
   * Measures the path to a worker.
   *
   * @param then called on the transport's thread; not called if the session has ended
   */
  void measure(SessionId session, Consumer<PathFigures> then);

  /** Sends the queued messages and symbols of all sessions; call once per batch of messages. */
  void flush();

  /**
   * Closes a session. Nothing more is received from it; {@link LeaderTransportListener#closed} is
   * called when the connection has ended. Does nothing if it has ended already.
   *
   * @param refusal a last message to the worker, or null
   */
  void close(SessionId session, LeaderMessage.@Nullable Refused refusal);

  /**
   * Whether the queue of the stream is below its high-water mark; false if the session has ended.
   */
  boolean isWritable(SessionId session, StreamKind kind);

  /**
   * Stops or resumes reading one stream of a session. While reading is stopped, messages that have
   * arrived are not delivered, and the worker cannot send more on that stream once the flow-control
   * window is full. Nothing is lost.
   */
  void setReading(SessionId session, StreamKind kind, boolean reading);

  /**
   * The transport's one thread, for tasks now or later. May be used from any thread; must not be
   * shut down.
   */
  ScheduledExecutorService executor();

  /** Counters of handshakes and of what was refused. */
  HandshakeCounts handshakes();

  /** The address that it listens on. May be called from any thread. */
  InetSocketAddress localAddress();

  /**
   * Closes all sessions, frees the port and ends the thread; blocks until that is done. May be
   * called from any thread except the transport's own.
   */
  void shutdown();
}

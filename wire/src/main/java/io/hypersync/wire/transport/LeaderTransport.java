package io.hypersync.wire.transport;

import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The leader's end of all connections. It has one thread, {@link #executor()}: every callback of
 * the listener comes on it, and every method is called on it unless it says otherwise.
 */
public interface LeaderTransport {

  /**
   * Queues a message on the stream it belongs to; {@link #flush()} sends it. Nothing happens if the
   * session has ended. A session whose queue grows past its limit is ended: look at {@link
   * #isWritable}.
   *
   * @throws IllegalArgumentException if the message is too long to be sent
   */
  void send(SessionId session, LeaderMessage message);

  /** Sends what is queued, of all sessions; once per batch of messages. */
  void flush();

  /**
   * Ends a session. Nothing more is received from it; {@link LeaderTransportListener#closed} comes
   * when the connection has ended. Nothing happens if it has already.
   *
   * @param refusal what to tell the worker first, if anything
   */
  void close(SessionId session, LeaderMessage.@Nullable Refused refusal);

  /** Whether it makes sense to queue more now; false if the session has ended. */
  boolean isWritable(SessionId session, StreamKind kind);

  /**
   * Stops or resumes reading one stream of a session. While stopped, the worker's sends on that
   * stream stall once the flow-control window is full, and nothing of the stream is lost. Messages
   * which have arrived are not delivered meanwhile.
   */
  void setReading(SessionId session, StreamKind kind, boolean reading);

  /**
   * The one thread. Callable from everywhere: to run on it, to wake it, to be called later. It is
   * not to be shut down.
   */
  ScheduledExecutorService executor();

  /** What strangers have asked for, and how much of it they got. */
  HandshakeCounts handshakes();

  /** Where it listens. Callable from everywhere. */
  InetSocketAddress localAddress();

  /**
   * Ends all sessions, frees the port and ends the thread; returns when that has happened. Callable
   * from everywhere but the thread itself.
   */
  void shutdown();
}

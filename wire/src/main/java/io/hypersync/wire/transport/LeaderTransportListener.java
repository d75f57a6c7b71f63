package io.hypersync.wire.transport;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import java.net.SocketAddress;

/**
 * What happens on the leader's end. All calls come on the transport's one thread, in the order of
 * events. An exception ends the session it came from.
 */
public interface LeaderTransportListener {

  /**
   * A worker has connected.
   *
   * @param worker the name in its verified certificate
   */
  void connected(SessionId session, WorkerId worker, SocketAddress address);

  /** A message; between {@code connected} and {@code closed}, in order within its stream. */
  void received(SessionId session, WorkerMessage message);

  /**
   * All that had arrived has been delivered: the time to answer, and to {@link
   * LeaderTransport#flush()} once.
   */
  void flushPoint();

  /**
   * The stream takes more again, after {@link LeaderTransport#isWritable} was false; flush what you
   * send now.
   */
  void writable(SessionId session, StreamKind kind);

  /**
   * The session has ended; exactly once for each {@code connected}.
   *
   * @param reason for people
   */
  void closed(SessionId session, String reason);
}

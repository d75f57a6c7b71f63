package io.hypersync.wire.transport;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import java.net.SocketAddress;

/**
 * Callbacks of a {@link LeaderTransport}, all on its one thread, in the order of events. An
 * exception closes the session that it concerns.
 */
public interface LeaderTransportListener {

  /**
   * A worker has connected that shows no certificate: it is in this process.
   *
   * @param worker its worker id
   */
  void connected(SessionId session, WorkerId worker, SocketAddress address);

  /**
   * A worker has connected over a network.
   *
   * @param worker the worker id in its verified certificate
   * @param cert that certificate
   */
  void connected(SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address);

  /**
   * A message has arrived. Called between {@code connected} and {@code closed}, in order within a
   * stream.
   */
  void received(SessionId session, WorkerMessage message);

  /**
   * Everything that had arrived has been delivered. The listener responds now, and calls {@link
   * LeaderTransport#flush()} once.
   */
  void flushPoint();

  /**
   * The stream can take more, after {@link LeaderTransport#isWritable} was false. Messages sent
   * from here need a flush.
   */
  void writable(SessionId session, StreamKind kind);

  /**
   * The session has ended; called exactly once for each {@code connected}.
   *
   * @param reason a text for log and status
   */
  void closed(SessionId session, String reason);
}

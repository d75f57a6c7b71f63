package io.hypersync.wire.transport;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import java.net.InetSocketAddress;

/**
 * What happens on a worker's end. All calls come on the transport's one thread, in the order of
 * events. An exception ends the connection.
 */
public interface WorkerTransportListener {

  /** The leader has accepted the connection, and it is the leader of this worker's workspace. */
  void connected(InetSocketAddress leader);

  /**
   * The attempt failed.
   *
   * @param message for people
   */
  void connectFailed(ConnectFailure failure, String message);

  /** A message; between {@code connected} and {@code closed}, in order within its stream. */
  void received(LeaderMessage message);

  /**
   * All that had arrived has been delivered: the time to answer, and to {@link
   * WorkerTransport#flush()} once.
   */
  void flushPoint();

  /**
   * The stream takes more again, after {@link WorkerTransport#isWritable} was false; flush what you
   * send now.
   */
  void writable(StreamKind kind);

  /**
   * The connection has ended; exactly once for each {@code connected}.
   *
   * @param reason for people
   */
  void closed(String reason);
}

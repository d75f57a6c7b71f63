package io.hypersync.wire.transport;

import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import java.net.InetSocketAddress;

/**
 * Callbacks of a {@link WorkerTransport}, all on its one thread, in the order of events. An
 * exception closes the connection.
 */
public interface WorkerTransportListener {

  /**
   * A connection is open: the leader has accepted this worker's certificate, and its own one is
   * that of this workspace's leader.
   */
  void connected(InetSocketAddress leader);

  /**
   * The attempt to connect failed.
   *
   * @param message what is wrong, for the user
   */
  void connectFailed(ConnectFailure failure, String message);

  /**
   * A message has arrived. Called between {@code connected} and {@code closed}, in order within a
   * stream.
   */
  void received(LeaderMessage message);

  /**
   * A symbol has arrived in a datagram; others may have been lost, or overtaken. Called between
   * {@code connected} and {@code closed}.
   */
  void received(ChunkSymbol symbol);

  /**
   * Everything that had arrived has been delivered. The listener responds now, and calls {@link
   * WorkerTransport#flush()} once.
   */
  void flushPoint();

  /**
   * The stream can take more, after {@link WorkerTransport#isWritable} was false. Messages sent
   * from here need a flush.
   */
  void writable(StreamKind kind);

  /**
   * The connection has ended; called exactly once for each {@code connected}.
   *
   * @param reason a text for log and status
   */
  void closed(String reason);
}

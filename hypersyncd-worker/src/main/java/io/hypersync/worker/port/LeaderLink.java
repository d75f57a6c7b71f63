package io.hypersync.worker.port;

import io.hypersync.wire.message.WorkerMessage;

/** The way to the leader. Called by the worker agent only; nothing here blocks. */
public interface LeaderLink {
  /** Starts one attempt to connect; the agent is told how it went. */
  void connect();

  /** Queues a message; dropped when there is no connection. */
  void send(WorkerMessage message);

  /** Sends what has been queued. */
  void flush();

  /** Drops the connection, if there is one; the agent is not told of it. */
  void disconnect();
}

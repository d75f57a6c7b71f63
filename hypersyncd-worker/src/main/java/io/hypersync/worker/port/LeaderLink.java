package io.hypersync.worker.port;

import io.hypersync.wire.message.WorkerMessage;

/** The connection to the leader. Called by the worker agent only; nothing here blocks. */
public interface LeaderLink {
  /** Starts one attempt to connect; its outcome is reported to the agent. */
  void connect();

  /** Queues a message; without a connection it is dropped. */
  void send(WorkerMessage message);

  /** Sends the queued messages. */
  void flush();

  /** Closes the connection, if there is one; the agent gets no report of that. */
  void disconnect();
}

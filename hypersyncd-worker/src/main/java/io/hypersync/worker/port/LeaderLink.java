package io.hypersync.worker.port;

import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.PathFigures;
import java.util.function.Consumer;

/** The connection to the leader. Called by the worker agent only; nothing here blocks. */
public interface LeaderLink {
  /** Starts one attempt to connect; its outcome is reported to the agent. */
  void connect();

  /**
   * Whoever has answered is of no use for now: the next attempt is at another address, if there is
   * one.
   *
   * @return whether that is one which was not tried since {@link #settled}, or since all of them
   *     were tried
   */
  default boolean tryNext() {
    return false;
  }

  /** Whoever has answered leads: the next attempt begins with the same address. */
  default void settled() {}

  /** Whether there are several addresses at which the leader may be. */
  default boolean hasOthers() {
    return false;
  }

  /** Queues a message; without a connection it is dropped. */
  void send(WorkerMessage message);

  /** Sends the queued messages. */
  void flush();

  /**
   * Measures the path to the leader.
   *
   * @param then called on the agent's thread; not called without a connection
   */
  void measure(Consumer<PathFigures> then);

  /**
   * Begins to listen to what the leader sends to all workers; what comes is reported to the agent.
   * Ends with {@link #leave}. Does nothing where there is no multicast.
   */
  default void join(MulticastGroup group) {}

  /** Ends listening to it. */
  default void leave() {}

  /** Closes the connection, if there is one; the agent gets no report of that. */
  void disconnect();
}

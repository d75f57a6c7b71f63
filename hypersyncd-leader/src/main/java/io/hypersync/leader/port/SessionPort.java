package io.hypersync.leader.port;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Outbound side of the worker sessions. Called by the leader agent only; no method blocks. */
public interface SessionPort {
  /** Queues a message; drops it if the session has ended. */
  void send(SessionId session, LeaderMessage message);

  /** Sends what has been queued on all sessions. */
  void flush();

  /** Whether the log stream of this session can take more without buffering in memory. */
  boolean logWritable(SessionId session);

  /** Whether the bulk stream of this session can take more without buffering in memory. */
  boolean bulkWritable(SessionId session);

  /**
   * The most bytes of a symbol in one datagram for this session; 0 if it takes no datagrams, or has
   * ended.
   */
  int maxSymbolBytes(SessionId session);

  /**
   * Measures the path to a worker.
   *
   * @param then called on the agent's thread; not called if the session has ended
   */
  void measure(SessionId session, Consumer<PathFigures> then);

  /** Ends a session; sends {@code lastWord} first unless it is null. */
  void close(SessionId session, LeaderMessage.@Nullable Refused lastWord);
}

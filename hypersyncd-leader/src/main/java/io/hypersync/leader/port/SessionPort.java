package io.hypersync.leader.port;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.transport.SessionId;
import org.jspecify.annotations.Nullable;

/** The way to the workers. Called by the leader agent only; nothing here blocks. */
public interface SessionPort {
  /** Queues a message; dropped if the session has ended. */
  void send(SessionId session, LeaderMessage message);

  /** Sends what has been queued on all sessions. */
  void flush();

  /** Whether the log stream of this session takes more without piling up in memory. */
  boolean logWritable(SessionId session);

  /** Ends a session, after a last word if there is one. */
  void close(SessionId session, LeaderMessage.@Nullable Refused lastWord);
}

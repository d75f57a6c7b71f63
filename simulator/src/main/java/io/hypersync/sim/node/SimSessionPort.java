package io.hypersync.sim.node;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.sim.net.SimConnection;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.transport.SessionId;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Sends the agent's messages over the simulated connections. */
final class SimSessionPort implements SessionPort {
  private final Map<SessionId, SimConnection> sessions;
  private final BiConsumer<SimConnection, LeaderMessage> listener;

  SimSessionPort(
      Map<SessionId, SimConnection> sessions, BiConsumer<SimConnection, LeaderMessage> listener) {
    this.sessions = sessions;
    this.listener = listener;
  }

  @Override
  public void send(SessionId session, LeaderMessage message) {
    SimConnection connection = sessions.get(session);
    if (connection != null) {
      listener.accept(connection, message);
      connection.send(message);
    }
  }

  @Override
  public void flush() {
    sessions.values().forEach(SimConnection::flushDown);
  }

  @Override
  public boolean logWritable(SessionId session) {
    SimConnection connection = sessions.get(session);
    return connection != null && connection.logWritable();
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
    SimConnection connection = sessions.get(session);
    if (connection != null) {
      connection.closeFromLeader(lastWord);
    }
  }
}

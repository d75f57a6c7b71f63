package io.hypersync.sim.node;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.sim.net.SimConnection;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends the agent's messages over the simulated connections. */
final class SimSessionPort implements SessionPort {
  /** So that even small chunks have several symbols. */
  private static final int MAX_SYMBOL_BYTES = 64;

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
  public boolean bulkWritable(SessionId session) {
    SimConnection connection = sessions.get(session);
    return connection != null && connection.bulkWritable();
  }

  @Override
  public int maxSymbolBytes(SessionId session) {
    return sessions.containsKey(session) ? MAX_SYMBOL_BYTES : 0;
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    SimConnection connection = sessions.get(session);
    if (connection != null) {
      then.accept(connection.measured());
    }
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
    SimConnection connection = sessions.get(session);
    if (connection != null) {
      connection.closeFromLeader(lastWord);
    }
  }
}

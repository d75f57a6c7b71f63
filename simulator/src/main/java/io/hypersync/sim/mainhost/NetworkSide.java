package io.hypersync.sim.mainhost;

import io.hypersync.sim.check.OwnerChecker;
import io.hypersync.sim.net.SimConnection;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of the simulated network. Only its own thread may touch it: that a caller does
 * not is checked.
 */
final class NetworkSide implements LeaderTransport {
  /** So that even small chunks have several symbols. */
  private static final int MAX_SYMBOL_BYTES = 64;

  private final Map<SessionId, SimConnection> sessions;
  private final HomeThread home;
  private final OwnerChecker checker;
  private final BooleanSupplier isCaller;

  NetworkSide(
      Map<SessionId, SimConnection> sessions,
      HomeThread home,
      OwnerChecker checker,
      BooleanSupplier isCaller) {
    this.sessions = sessions;
    this.home = home;
    this.checker = checker;
    this.isCaller = isCaller;
  }

  private @Nullable SimConnection of(SessionId session) {
    checker.network(isCaller.getAsBoolean());
    return sessions.get(session);
  }

  @Override
  public void send(SessionId session, LeaderMessage message) {
    SimConnection connection = of(session);
    if (connection != null) {
      checker.sent(session, message);
      connection.send(message);
    } else {
      checker.ended(session);
    }
  }

  /** Any thread, so it is no use of the network. */
  @Override
  public int maxSymbolBytes(SessionId session) {
    return sessions.containsKey(session) ? MAX_SYMBOL_BYTES : 0;
  }

  @Override
  public void send(SessionId session, ChunkSymbol symbol) {
    SimConnection connection = of(session);
    if (connection != null) {
      connection.send(symbol);
    }
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    SimConnection connection = of(session);
    if (connection != null) {
      then.accept(connection.measured());
    }
  }

  @Override
  public void flush() {
    checker.network(isCaller.getAsBoolean());
    sessions.values().forEach(SimConnection::flushDown);
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused refusal) {
    SimConnection connection = of(session);
    if (connection != null) {
      connection.closeFromLeader(refusal);
    }
  }

  @Override
  public boolean isWritable(SessionId session, StreamKind kind) {
    SimConnection connection = of(session);
    boolean is =
        connection != null
            && (kind == StreamKind.BULK ? connection.bulkWritable() : connection.logWritable());
    if (!is) {
      checker.settled(new SharedProcess.Stream(session, kind));
    }
    return is;
  }

  @Override
  public ScheduledExecutorService executor() {
    return home;
  }

  @Override
  public void setReading(SessionId session, StreamKind kind, boolean reading) {
    throw new UnsupportedOperationException("simulated streams are always read");
  }

  @Override
  public HandshakeCounts handshakes() {
    throw new UnsupportedOperationException("simulated connections have no handshakes");
  }

  @Override
  public InetSocketAddress localAddress() {
    throw new UnsupportedOperationException("a simulated leader has no address");
  }

  @Override
  public void shutdown() {
    home.shutdown();
  }
}

package io.hypersync.leader.session;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends nothing unless this process leads; sessions can be ended at any time. */
public final class GatedSessionPort implements SessionPort {
  private final SessionPort port;
  private final BooleanSupplier leads;

  /** Puts a gate before a port. */
  public GatedSessionPort(SessionPort port, BooleanSupplier leads) {
    this.port = port;
    this.leads = leads;
  }

  @Override
  public void send(SessionId session, LeaderMessage message) {
    if (leads.getAsBoolean()) {
      port.send(session, message);
    }
  }

  @Override
  public void flush() {
    port.flush();
  }

  @Override
  public boolean logWritable(SessionId session) {
    return port.logWritable(session);
  }

  @Override
  public boolean bulkWritable(SessionId session) {
    return port.bulkWritable(session);
  }

  @Override
  public int maxSymbolBytes(SessionId session) {
    return port.maxSymbolBytes(session);
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    port.measure(session, then);
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
    port.close(session, lastWord);
  }
}

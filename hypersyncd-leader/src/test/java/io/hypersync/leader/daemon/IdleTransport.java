package io.hypersync.leader.daemon;

import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A transport without sessions, which drops what it is given. */
class IdleTransport implements LeaderTransport {
  @Override
  public void setReading(SessionId session, StreamKind kind, boolean now) {}

  @Override
  public void send(SessionId session, LeaderMessage message) {}

  @Override
  public int maxSymbolBytes(SessionId session) {
    return 0;
  }

  @Override
  public void send(SessionId session, ChunkSymbol symbol) {}

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {}

  @Override
  public void flush() {}

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused refusal) {}

  @Override
  public boolean isWritable(SessionId session, StreamKind kind) {
    return true;
  }

  @Override
  public ScheduledExecutorService executor() {
    throw new UnsupportedOperationException("not asked for here");
  }

  @Override
  public InetSocketAddress localAddress() {
    throw new UnsupportedOperationException("not asked for here");
  }

  @Override
  public HandshakeCounts handshakes() {
    return HandshakeCounts.NONE;
  }

  @Override
  public void shutdown() {}
}

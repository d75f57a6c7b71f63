package io.hypersync.sim.mainhost;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends the leader's messages to the worker of its process, and over the network. */
final class LocalSessionPort implements SessionPort {
  private final SharedProcess process;
  private final BiConsumer<SessionId, LeaderMessage> sending;

  LocalSessionPort(SharedProcess process, BiConsumer<SessionId, LeaderMessage> sending) {
    this.process = process;
    this.sending = sending;
  }

  @Override
  public void send(SessionId session, LeaderMessage message) {
    if (process.isOpen(session)) {
      sending.accept(session, message);
      process.send(session, message);
    }
  }

  @Override
  public void flush() {
    process.transport().flush();
  }

  @Override
  public boolean logWritable(SessionId session) {
    return process.isWritable(session, StreamKind.LOG);
  }

  @Override
  public boolean bulkWritable(SessionId session) {
    return process.isWritable(session, StreamKind.BULK);
  }

  @Override
  public int maxSymbolBytes(SessionId session) {
    return process.transport().maxSymbolBytes(session);
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    process.transport().measure(session, then);
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
    process.transport().close(session, lastWord);
  }
}

package io.hypersync.leader.session;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records all messages that are sent. */
public final class RecordingSessionPort implements SessionPort {
  /** A message and the session it was sent to. */
  public record Sent(SessionId session, LeaderMessage message) {}

  public final List<Sent> sent = new ArrayList<>();

  /** Whether bulk streams take what nobody has asked for. */
  public boolean bulkWritable = true;

  /** What a datagram takes; 0 for none. */
  public int maxSymbolBytes;

  /** What is measured; null for nothing. */
  public @Nullable PathFigures figures;

  public final Set<SessionId> closed = new HashSet<>();
  boolean writable = true;

  @Override
  public void send(SessionId session, LeaderMessage message) {
    sent.add(new Sent(session, message));
  }

  @Override
  public void flush() {}

  @Override
  public boolean logWritable(SessionId session) {
    return writable;
  }

  @Override
  public boolean bulkWritable(SessionId session) {
    return bulkWritable;
  }

  @Override
  public int maxSymbolBytes(SessionId session) {
    return maxSymbolBytes;
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    if (figures != null) {
      then.accept(figures);
    }
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
    closed.add(session);
    if (lastWord != null) {
      send(session, lastWord);
    }
  }
}

package io.hypersync.worker;

import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.worker.port.LeaderLink;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records all messages that are sent, and does nothing with them. */
public final class RecordingLeaderLink implements LeaderLink {
  public final List<WorkerMessage> sent = new ArrayList<>();
  public @Nullable MulticastGroup joined;
  int disconnects;

  /** The messages of one kind, in the order in which they were sent. */
  public <T extends WorkerMessage> List<T> sent(Class<T> kind) {
    return sent.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  @Override
  public void join(MulticastGroup group) {
    joined = group;
  }

  @Override
  public void leave() {
    joined = null;
  }

  @Override
  public void connect() {}

  @Override
  public void send(WorkerMessage message) {
    sent.add(message);
  }

  /** How many addresses there are beside the current one, and which number that has. */
  int others;

  int current;

  @Override
  public boolean hasOthers() {
    return others > 0;
  }

  @Override
  public boolean tryNext() {
    current = (current + 1) % (others + 1);
    return current != 0;
  }

  @Override
  public void flush() {}

  @Override
  public void measure(Consumer<PathFigures> then) {}

  @Override
  public void disconnect() {
    disconnects++;
  }
}

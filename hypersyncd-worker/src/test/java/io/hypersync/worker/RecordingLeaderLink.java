package io.hypersync.worker;

import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.worker.port.LeaderLink;
import java.util.ArrayList;
import java.util.List;

/** Records all messages that are sent, and does nothing with them. */
public final class RecordingLeaderLink implements LeaderLink {
  public final List<WorkerMessage> sent = new ArrayList<>();
  int disconnects;

  /** The messages of one kind, in the order in which they were sent. */
  public <T extends WorkerMessage> List<T> sent(Class<T> kind) {
    return sent.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  @Override
  public void connect() {}

  @Override
  public void send(WorkerMessage message) {
    sent.add(message);
  }

  @Override
  public void flush() {}

  @Override
  public void disconnect() {
    disconnects++;
  }
}

package io.hypersync.sim.node;

import io.hypersync.sim.net.SimConnection;
import io.hypersync.sim.net.SimNetwork;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.worker.port.LeaderLink;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The worker's link to the leader: at most one attempt or one connection at a time. */
final class SimWorkerLink implements LeaderLink {
  private final SimNetwork network;
  private final SimWorker worker;
  private final SimMulticastReceiver multicast;
  private @Nullable SimConnection connection;
  private boolean connecting;
  private long attempt;

  SimWorkerLink(SimNetwork network, SimWorker worker, SimMulticastReceiver multicast) {
    this.multicast = multicast;
    this.network = network;
    this.worker = worker;
  }

  @Override
  public void connect() {
    if (connecting || connection != null) {
      throw new IllegalStateException("an attempt is under way, or a connection exists");
    }
    connecting = true;
    attempt++;
    long mine = attempt;
    network.connect(worker, () -> connecting && attempt == mine);
  }

  @Override
  public void send(WorkerMessage message) {
    SimConnection current = connection;
    if (current != null) {
      worker.sending(message);
      current.send(message);
    }
  }

  @Override
  public void flush() {
    SimConnection current = connection;
    if (current != null) {
      current.flushUp();
    }
  }

  @Override
  public void measure(Consumer<PathFigures> then) {
    SimConnection current = connection;
    if (current != null) {
      PathFigures figures = current.measured();
      worker.measured(figures);
      then.accept(figures);
    }
  }

  @Override
  public void join(MulticastGroup group) {
    multicast.join(group);
  }

  @Override
  public void leave() {
    multicast.leave();
  }

  @Override
  public void disconnect() {
    connecting = false;
    SimConnection current = connection;
    connection = null;
    worker.disconnected();
    if (current != null) {
      current.closeFromWorker();
    }
  }

  /** Accepts a new connection; returns false, and closes it, if the attempt was abandoned. */
  boolean accept(SimConnection fresh) {
    if (!connecting) {
      fresh.closeFromWorker();
      return false;
    }
    connecting = false;
    connection = fresh;
    return true;
  }

  boolean isCurrent(SimConnection candidate) {
    return connection == candidate;
  }

  void attemptEnded() {
    connecting = false;
  }

  void ended() {
    connection = null;
    worker.disconnected();
  }
}

package io.hypersync.sim.mainhost;

import io.hypersync.sim.check.OwnerChecker;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.port.LeaderLink;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A worker's link to the leader of its own process, as the daemon has it: once the agent has
 * dropped a connection, it hears nothing of it any more, and the next attempt waits for its end.
 */
public final class LocalWorkerLink implements LeaderLink, WorkerTransportListener {
  private static final InetSocketAddress NOWHERE = InetSocketAddress.createUnresolved("here", 1);

  private final WorkerSide worker;
  private final OwnerChecker checker;
  private final WorkerTransport transport;
  private final Consumer<MulticastGroup> join;
  private final Runnable leave;
  private boolean connected;
  private boolean dropped;

  LocalWorkerLink(
      SharedProcess process, WorkerSide worker, Consumer<MulticastGroup> join, Runnable leave) {
    this.worker = worker;
    this.checker = process.checker();
    this.join = join;
    this.leave = leave;
    this.transport = process.transport().worker(this);
  }

  WorkerTransport transport() {
    return transport;
  }

  /** Whether the leader has sent what the worker has not dealt with. */
  public boolean hasUnread() {
    return transport.hasUnread(_ -> false);
  }

  @Override
  public void connect() {
    if (connected) {
      worker.linkDown("the previous connection is still being closed");
    } else {
      transport.connect(NOWHERE);
    }
  }

  @Override
  public void send(WorkerMessage message) {
    if (connected && !dropped) {
      worker.sending(message);
      transport.send(message);
    }
  }

  @Override
  public void flush() {
    transport.flush();
  }

  @Override
  public void measure(Consumer<PathFigures> then) {
    transport.measure(then);
  }

  @Override
  public void join(MulticastGroup group) {
    join.accept(group);
  }

  @Override
  public void leave() {
    leave.run();
  }

  @Override
  public void disconnect() {
    worker.disconnected();
    if (connected) {
      dropped = true;
    }
    transport.disconnect();
  }

  private void tell(Runnable call) {
    if (worker.isAlive()) {
      checker.run(call);
    }
  }

  @Override
  public void connected(InetSocketAddress address) {
    connected = true;
    dropped = false;
    tell(worker::linkUp);
  }

  @Override
  public void connectFailed(ConnectFailure failure, String message) {
    throw new AssertionError("no attempt fails within a process");
  }

  @Override
  public void received(LeaderMessage message) {
    if (!dropped) {
      tell(() -> worker.received(message));
    }
  }

  @Override
  public void received(ChunkSymbol symbol) {
    throw new AssertionError("nothing is lost within a process, so no symbols are sent");
  }

  @Override
  public void flushPoint() {
    tell(worker::work);
  }

  /** Simulated uploads never fill the stream. */
  @Override
  public void writable(StreamKind kind) {}

  @Override
  public void closed(String reason) {
    connected = false;
    boolean wasDropped = dropped;
    dropped = false;
    if (!wasDropped) {
      tell(() -> worker.linkDown(reason));
    }
  }
}

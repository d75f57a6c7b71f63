package io.hypersync.wire.local;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of all connections where one worker is in its own process: that one's messages
 * are handed over, those of all others go over the network. Both agents run on the network's
 * thread, so a mutation of that worker wakes no other thread until it is committed and shown.
 */
public final class LocalLeaderTransport implements LeaderTransport {
  /** Sessions over the network have numbers from 1 on. */
  private static final long FIRST_SESSION = 1L << 62;

  private final LeaderTransport network;
  private final LeaderTransportListener leader;
  private final WorkerId worker;
  private volatile @Nullable LocalLink link;
  private long sessions;

  /**
   * Adds a worker to those that come over a network.
   *
   * @param network whose listener is {@code leader}, too
   * @param worker the id of the one in this process
   */
  public LocalLeaderTransport(
      LeaderTransport network, LeaderTransportListener leader, WorkerId worker) {
    this.network = network;
    this.leader = leader;
    this.worker = worker;
  }

  /**
   * The worker's side, whose thread is the leader's. To be called again only after the last one was
   * shut down; any thread.
   */
  public WorkerTransport worker(WorkerTransportListener listener) {
    LocalLink made = new LocalLink(worker, leader, listener, this::nextSession, network.executor());
    link = made;
    return made;
  }

  private SessionId nextSession() {
    return new SessionId(FIRST_SESSION + sessions++);
  }

  private static boolean isLocal(SessionId session) {
    return session.value() >= FIRST_SESSION;
  }

  @Override
  public void send(SessionId session, LeaderMessage message) {
    LocalLink here = link;
    if (!isLocal(session)) {
      network.send(session, message);
    } else if (here != null) {
      here.send(session, message);
    }
  }

  /** Nothing is lost on the way to the worker here, so it takes no datagrams. */
  @Override
  public int maxSymbolBytes(SessionId session) {
    return isLocal(session) ? 0 : network.maxSymbolBytes(session);
  }

  @Override
  public void send(SessionId session, ChunkSymbol symbol) {
    if (!isLocal(session)) {
      network.send(session, symbol);
    }
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    if (!isLocal(session)) {
      network.measure(session, then);
    }
  }

  @Override
  public void flush() {
    network.flush();
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused refusal) {
    LocalLink here = link;
    if (!isLocal(session)) {
      network.close(session, refusal);
    } else if (here != null) {
      here.close(session, refusal);
    }
  }

  @Override
  public boolean isWritable(SessionId session, StreamKind kind) {
    LocalLink here = link;
    return isLocal(session)
        ? here != null && here.isWritable(session, kind)
        : network.isWritable(session, kind);
  }

  @Override
  public void setReading(SessionId session, StreamKind kind, boolean reading) {
    LocalLink here = link;
    if (!isLocal(session)) {
      network.setReading(session, kind, reading);
    } else if (here != null) {
      here.setReading(session, kind, reading);
    }
  }

  @Override
  public ScheduledExecutorService executor() {
    return network.executor();
  }

  @Override
  public HandshakeCounts handshakes() {
    return network.handshakes();
  }

  @Override
  public InetSocketAddress localAddress() {
    return network.localAddress();
  }

  /** The worker here has to be shut down before. */
  @Override
  public void shutdown() {
    network.shutdown();
  }
}

package io.hypersync.wire.local;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.CallerRunsExecutor;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of all connections where one worker is in its own process: that one's messages
 * are handed over, those of all others go over the network. Both agents have one owner at a time
 * ({@link CallerRunsExecutor}): the network's thread, or a caller of that worker. So a mutation of
 * that worker wakes no other thread until it is committed and shown.
 *
 * <p>Only the network's thread touches the network. While a caller is the owner, what is sent to
 * other workers is put off until that thread is; and no stream to them takes anything, as if it
 * were full, so that they are sent the log by that thread, within the limits of each stream.
 */
public final class LocalLeaderTransport implements LeaderTransport {
  /** Sessions over the network have numbers from 1 on. */
  private static final long FIRST_SESSION = 1L << 62;

  private final LeaderTransport network;
  private final LeaderTransportListener leader;
  private final WorkerId worker;
  private final CallerRunsExecutor thread;

  /** Streams that a caller has found full; used by the owner only. */
  private final Set<Stream> refused = new LinkedHashSet<>();

  private volatile @Nullable LocalLink link;
  private long sessions;

  private record Stream(SessionId session, StreamKind kind) {}

  /**
   * Adds a worker to those that come over a network.
   *
   * @param network whose listener is {@code arrivals}
   * @param arrivals passes on what the network brings to {@code leader}
   * @param worker the id of the one in this process
   */
  public LocalLeaderTransport(
      LeaderTransport network,
      OwningListener arrivals,
      LeaderTransportListener leader,
      WorkerId worker) {
    this.network = network;
    this.leader = leader;
    this.worker = worker;
    this.thread = new CallerRunsExecutor(network.executor());
    arrivals.begin(thread);
  }

  /**
   * The worker's side, whose thread is the leader's. To be called again only after the last one was
   * shut down; any thread.
   */
  public WorkerTransport worker(WorkerTransportListener listener) {
    LocalLink made = new LocalLink(worker, leader, listener, this::nextSession, thread);
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
      thread.atHome(() -> network.send(session, message));
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
      thread.atHome(() -> network.send(session, symbol));
    }
  }

  @Override
  public void measure(SessionId session, Consumer<PathFigures> then) {
    if (!isLocal(session)) {
      thread.atHome(
          () -> network.measure(session, figures -> thread.owned(() -> then.accept(figures))));
    }
  }

  @Override
  public void flush() {
    if (!thread.isCaller()) {
      network.flush();
    } else if (thread.hasPutOff()) {
      thread.atHome(network::flush);
    }
  }

  @Override
  public void close(SessionId session, LeaderMessage.@Nullable Refused refusal) {
    LocalLink here = link;
    if (!isLocal(session)) {
      thread.atHome(() -> network.close(session, refusal));
    } else if (here != null) {
      here.close(session, refusal);
    }
  }

  @Override
  public boolean isWritable(SessionId session, StreamKind kind) {
    LocalLink here = link;
    if (isLocal(session)) {
      return here != null && here.isWritable(session, kind);
    }
    if (thread.isCaller()) {
      if (refused.isEmpty()) {
        thread.atHome(this::tellWritable);
      }
      refused.add(new Stream(session, kind));
      return false;
    }
    return network.isWritable(session, kind);
  }

  /** What is full in fact, the network tells of later. */
  private void tellWritable() {
    List<Stream> streams = List.copyOf(refused);
    refused.clear();
    for (Stream stream : streams) {
      if (network.isWritable(stream.session, stream.kind)) {
        leader.writable(stream.session, stream.kind);
      }
    }
  }

  @Override
  public void setReading(SessionId session, StreamKind kind, boolean reading) {
    LocalLink here = link;
    if (!isLocal(session)) {
      thread.atHome(() -> network.setReading(session, kind, reading));
    } else if (here != null) {
      here.setReading(session, kind, reading);
    }
  }

  @Override
  public ScheduledExecutorService executor() {
    return thread;
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

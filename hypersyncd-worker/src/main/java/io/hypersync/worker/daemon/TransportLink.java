package io.hypersync.worker.daemon;

import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.fuse.dev.Readiness;
import io.hypersync.worker.port.LeaderLink;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent's link to the leader over a transport, and the transport's callbacks to the agent; all
 * on the transport's thread unless stated otherwise. Once the agent has dropped a connection it
 * gets no more events from it: what still arrives is ignored until the connection has closed, and
 * only then does the next attempt begin.
 */
final class TransportLink implements LeaderLink, WorkerTransportListener {
  private static final Logger LOG = LoggerFactory.getLogger(TransportLink.class);

  private final WorkerTransport transport;
  private final LeaderAddresses leader;
  private final FaultPoints faults;
  private final MulticastReceiver multicast;
  private final ArrayDeque<WorkerMessage> uploads = new ArrayDeque<>();

  /** Chunks that the leader has lost; it asks for few at a time. They go by turns with uploads. */
  private final ArrayDeque<WorkerMessage> copies = new ArrayDeque<>();

  private boolean isCopysTurn;

  private @Nullable AgentLoop<WorkerAgent> loop;
  private @Nullable LocalChunks chunks;
  private volatile boolean stopping;
  private @Nullable InetSocketAddress reached;
  private boolean connected;
  private boolean dropped;

  /**
   * Makes a link that has not connected yet.
   *
   * @param leaderSide makes the transport, given who hears what it brings
   */
  TransportLink(
      WorkerDaemonOptions options,
      Function<WorkerTransportListener, WorkerTransport> leaderSide,
      FaultPoints faults) {
    this.faults = faults;
    this.multicast = new MulticastReceiver(this::post, options.multicastInterface());
    this.leader = new LeaderAddresses(options.leaderAddresses());
    this.transport = leaderSide.apply(this);
  }

  /** To be called before the agent runs. */
  void begin(AgentLoop<WorkerAgent> agentLoop, LocalChunks localChunks) {
    loop = agentLoop;
    chunks = localChunks;
  }

  /** What is heard of what the leader sends to all workers; any thread. */
  MulticastReceiver multicast() {
    return multicast;
  }

  private void post(Consumer<WorkerAgent> call) {
    if (loop != null) {
      loop.post(call);
    }
  }

  /** Whether something from the leader has arrived that is not handled yet; any thread. */
  boolean hasUnread() {
    return transport.hasUnread(Readiness::isReadable);
  }

  ScheduledExecutorService thread() {
    return transport.executor();
  }

  /** Stops or resumes reading of the bulk stream. */
  void readBulk(boolean reading) {
    transport.setReading(StreamKind.BULK, reading);
  }

  /** Stops attempts to connect and closes the transport; any thread. */
  void shutdown() {
    stopping = true;
    leader.close();
    transport.shutdown();
    multicast.leave(); // the agent's thread has ended
  }

  @Override
  public void connect() {
    if (connected) {
      tell(agent -> agent.linkDown("the previous connection is still being closed"));
    } else {
      leader.lookUp(thread(), this::connect);
    }
  }

  private void connect(InetSocketAddress address) {
    if (stopping) {
      return;
    }
    if (address.isUnresolved()) {
      down("the name " + address.getHostString() + " does not resolve");
    } else {
      transport.connect(address);
    }
  }

  @Override
  public void send(WorkerMessage message) {
    if (dropped) {
      return;
    }
    if (message instanceof WorkerMessage.ChunkPut) {
      uploads.addLast(message);
      upload();
    } else if (message instanceof WorkerMessage.ChunkCopy) {
      copies.addLast(message);
      upload();
    } else {
      transport.send(message);
      if (faults.holdsAt(Moment.INTENT_SENT) && message instanceof WorkerMessage.SubmitIntent) {
        // Queued messages are sent at the end of the task that is running now.
        thread().execute(() -> faults.reached(Moment.INTENT_SENT));
      }
    }
  }

  @Override
  public void flush() {
    transport.flush();
  }

  @Override
  public void join(MulticastGroup group) {
    InetSocketAddress address = reached;
    if (address != null && !stopping) {
      multicast.join(group, address);
    }
  }

  @Override
  public void leave() {
    multicast.leave();
  }

  @Override
  public void disconnect() {
    if (connected) {
      dropped = true;
      uploads.clear();
      copies.clear();
      transport.disconnect();
    }
  }

  @Override
  public void connected(InetSocketAddress address) {
    connected = true;
    reached = address;
    dropped = false;
    LOG.debug("connected to the leader at {}", HostPorts.of(address));
    tell(WorkerAgent::linkUp);
  }

  @Override
  public void connectFailed(ConnectFailure failure, String message) {
    switch (failure) {
      case UNREACHABLE -> down(message);
      case CERTIFICATE, PROTOCOL -> {
        if (leader.size() == 1) {
          tell(agent -> agent.linkRefused(message));
        } else {
          LOG.debug("not at {}: {}", leader.text(), message);
          down(message);
        }
      }
    }
  }

  /** No connection came about: another address is tried at once, if there is one. */
  private void down(String why) {
    String where = leader.size() == 1 ? why : leader.text() + ": " + why;
    boolean soon = leader.next();
    tell(
        agent -> {
          agent.linkDown(where);
          if (soon) {
            agent.connectSoon();
          }
        });
  }

  @Override
  public boolean tryNext() {
    return leader.next();
  }

  @Override
  public void settled() {
    leader.settled();
  }

  @Override
  public boolean hasOthers() {
    return leader.size() > 1;
  }

  /** The addresses of the leader. */
  LeaderAddresses leader() {
    return leader;
  }

  @Override
  public void received(LeaderMessage message) {
    if (dropped) {
      return;
    }
    if (message instanceof LeaderMessage.ChunkData data && chunks != null) {
      chunks.ingest(data.hash(), data.bytes());
    } else {
      tell(agent -> take(agent, message));
    }
  }

  private void take(WorkerAgent agent, LeaderMessage message) {
    if (faults.holdsAt(Moment.ACK_RECEIVED)
        && message instanceof LeaderMessage.CommitAck ack
        && ack.errno() == null
        && ack.asOfIndex() > agent.visible().index()) {
      faults.reached(Moment.ACK_RECEIVED); // the entry is not applied
    }
    agent.received(message);
  }

  @Override
  public void received(ChunkSymbol symbol) {
    if (!dropped) {
      tell(agent -> agent.received(symbol));
    }
  }

  @Override
  public void measure(Consumer<PathFigures> then) {
    transport.measure(then);
  }

  @Override
  public void flushPoint() {
    if (loop != null) {
      loop.flushPoint();
    }
  }

  @Override
  public void writable(StreamKind kind) {
    if (kind == StreamKind.CHUNKS) {
      upload();
      transport.flush();
    }
  }

  @Override
  public void closed(String reason) {
    connected = false;
    uploads.clear();
    copies.clear();
    if (dropped) {
      dropped = false;
    } else {
      tell(agent -> agent.linkDown(reason));
    }
  }

  /**
   * Hands over only as much as the transport takes: seventy large writes at once are normal here.
   */
  private void upload() {
    while (!(uploads.isEmpty() && copies.isEmpty()) && transport.isWritable(StreamKind.CHUNKS)) {
      boolean isCopy = uploads.isEmpty() || (isCopysTurn && !copies.isEmpty());
      isCopysTurn = !isCopy;
      transport.send(isCopy ? copies.removeFirst() : uploads.removeFirst());
    }
  }

  private void tell(Consumer<WorkerAgent> call) {
    if (loop != null) {
      loop.guarded(call);
    }
  }
}

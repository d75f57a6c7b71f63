package io.hypersync.sim.mainhost;

import io.hypersync.leader.port.SessionPort;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.CallerRuns;
import io.hypersync.runtime.agent.CallerRunsExecutor;
import io.hypersync.sim.check.OwnerChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.net.SimConnection;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.local.LocalLeaderTransport;
import io.hypersync.wire.local.OwningListener;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransport;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a leader's process that has a worker, too: the production connection between the two,
 * and the production executor that lets callers run them. Home is the simulated process. A caller
 * is an event of its kernel, all of which happens within one step of the timeline; one that finds
 * the agents busy is a thread of its own, while home owns them.
 */
public final class SharedProcess {
  private final Host host;
  private final MainHostWish wish;
  private final OwnerChecker checker;
  private final Prng prng;
  private final SnapshotDisk counts;
  private final Map<SessionId, SimConnection> sessions;
  private final HomeThread home;
  private final OwningListener arrivals;
  private final LocalLeaderTransport transport;
  private final CallerRunsExecutor thread;
  private @Nullable SessionId here;
  private @Nullable LocalWorkerLink link;

  /** Whether the run of a caller has put something off. */
  private boolean hasPutOff;

  /** A stream to a worker of another host. */
  record Stream(SessionId session, StreamKind kind) {}

  /**
   * Begins without a connection.
   *
   * @param host the leader's; from now on its tasks run as the owner
   * @param worker who is in its process
   * @param sessions those over the network
   * @param leader hears what arrives, over the network or not; called by the owner only
   * @param counts of what happens
   */
  public SharedProcess(
      Host host,
      WorkerId worker,
      MainHostWish wish,
      Map<SessionId, SimConnection> sessions,
      LeaderTransportListener leader,
      SnapshotDisk counts) {
    this.host = host;
    this.wish = wish;
    this.checker = wish.checker();
    this.prng = wish.prng().split();
    this.counts = counts;
    this.sessions = sessions;
    this.home = new HomeThread(host);
    LeaderTransportListener heard = new LeaderSide(leader);
    this.arrivals = new OwningListener(heard);
    NetworkSide network = new NetworkSide(sessions, home, checker, this::isCaller);
    this.transport = new LocalLeaderTransport(network, arrivals, heard, worker);
    this.thread = (CallerRunsExecutor) transport.executor();
    checker.began();
    host.ownedBy(this::owned);
  }

  OwnerChecker checker() {
    return checker;
  }

  LocalLeaderTransport transport() {
    return transport;
  }

  /** Where what the network brings is to go, in events of the host. */
  public LeaderTransportListener arrivals() {
    return arrivals;
  }

  /** The leader's port to all workers. */
  public SessionPort port(BiConsumer<SessionId, LeaderMessage> sending) {
    return new LocalSessionPort(this, sending);
  }

  /** The session of the worker here; null if there is none. */
  public @Nullable SessionId here() {
    return here;
  }

  /** Whether this thread runs the agents, and is not home. */
  public boolean isCaller() {
    return thread.isCaller();
  }

  /** A caller has heard that its mutation is committed while it ran the agents. */
  public void committed() {
    if (isCaller()) {
      counts.count(LeaderDisk.COMMITTED_BY_CALLER);
    }
  }

  /** Runs a task of home as the owner. */
  public void owned(Runnable task) {
    thread.owned(
        () ->
            checker.run(
                () -> {
                  checker.homeWasOwner();
                  task.run();
                }));
  }

  /** Sends chunk data, which does not go through the agent. */
  public void sendBulk(SessionId session, LeaderMessage message) {
    owned(
        () -> {
          send(session, message);
          transport.flush();
        });
  }

  /** Ends the connection within the process, as the leader may. */
  public void breakConnection() {
    SessionId session = here;
    if (session != null) {
      owned(() -> transport.close(session, null));
    }
  }

  /** Makes the link of a worker that begins. */
  public LocalWorkerLink link(WorkerSide worker, Consumer<MulticastGroup> join, Runnable leave) {
    LocalWorkerLink made = new LocalWorkerLink(this, worker, join, leave);
    link = made;
    return made;
  }

  /**
   * The worker has ended, and the leader goes on. Its end is in home's queue before all that
   * another one begins with.
   */
  public void workerEnded() {
    LocalWorkerLink gone = link;
    if (gone != null) {
      WorkerTransport connection = gone.transport();
      owned(connection::disconnect);
      connection.executor().shutdown();
      link = null;
    }
  }

  /** The thread of a worker's link: for tasks that are not to be run by their caller. */
  public Executor threadOf(LocalWorkerLink of) {
    return of.transport().executor();
  }

  /** Brings a call of the kernel, in one of the ways in which it may come. */
  public void bring(LocalWorkerLink to, Runnable call) {
    if (!host.isAlive()) {
      return;
    }
    if (prng.below(100) >= wish.callersPercent()) {
      threadOf(to).execute(call);
      return;
    }
    CallerRuns caller = (CallerRuns) threadOf(to);
    if (!checker.isRunning() && prng.below(100) < wish.busyPercent()) {
      counts.count(LeaderDisk.CALLER_FOUND_OWNER);
      owned(() -> elsewhere(() -> caller.runOrExecute(() -> checker.run(call))));
      return;
    }
    boolean within = checker.isRunning();
    boolean[] isBringing = {true};
    hasPutOff = false;
    caller.runOrExecute(
        () ->
            checker.run(
                () -> {
                  checker.calls(within && isBringing[0]);
                  call.run();
                }));
    isBringing[0] = false;
    if (!within && host.isAlive()) {
      checker.gaveBack(hasPutOff, home.isWoken());
    }
  }

  /** All that a thread does here happens while this one waits for its end. */
  private void elsewhere(Runnable call) {
    Thread other =
        Thread.ofPlatform()
            .name("caller")
            .unstarted(
                () -> {
                  try {
                    call.run();
                  } catch (RuntimeException | Error e) {
                    checker.failed(e);
                  }
                });
    other.start();
    try {
      other.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted within a step", e);
    }
  }

  boolean isOpen(SessionId session) {
    return session.equals(here) || sessions.containsKey(session);
  }

  void send(SessionId session, LeaderMessage message) {
    if (!session.equals(here)) {
      checker.sending(session, message);
      if (isCaller()) {
        hasPutOff = true;
        counts.count(LeaderDisk.PUT_OFF);
      }
    }
    transport.send(session, message);
  }

  boolean isWritable(SessionId session, StreamKind kind) {
    if (isCaller() && sessions.containsKey(session)) {
      hasPutOff = true;
      checker.refused(new Stream(session, kind));
    }
    return transport.isWritable(session, kind);
  }

  /** What the leader hears. */
  private final class LeaderSide implements LeaderTransportListener {
    private final LeaderTransportListener leader;

    LeaderSide(LeaderTransportListener leader) {
      this.leader = leader;
    }

    private void tell(Runnable call) {
      if (host.isAlive()) {
        checker.run(call);
      }
    }

    @Override
    public void connected(SessionId session, WorkerId worker, SocketAddress address) {
      if (!sessions.containsKey(session)) {
        here = session;
      }
      tell(() -> leader.connected(session, worker, address));
    }

    @Override
    public void connected(
        SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address) {
      tell(() -> leader.connected(session, worker, cert, address));
    }

    @Override
    public void received(SessionId session, WorkerMessage message) {
      tell(() -> leader.received(session, message));
    }

    @Override
    public void flushPoint() {
      tell(leader::flushPoint);
    }

    @Override
    public void writable(SessionId session, StreamKind kind) {
      Stream stream = new Stream(session, kind);
      if (checker.isRefused(stream)) {
        checker.settled(stream);
        counts.count(LeaderDisk.TOLD_LATER);
      }
      tell(() -> leader.writable(session, kind));
    }

    @Override
    public void closed(SessionId session, String reason) {
      if (session.equals(here)) {
        here = null;
      }
      tell(() -> leader.closed(session, reason));
    }
  }
}

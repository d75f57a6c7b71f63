package io.hypersync.wire.local;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.CallerRunsExecutor;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of the worker in the leader's process. Messages wait in two queues, and are
 * delivered by a task of the thread that both agents run on: an agent that sends is never called
 * back from within. There is nothing that could be lost, delayed, or not be understood; what is
 * kept of a network is that each side can end the connection, and stop a stream.
 *
 * <p>Only by the owner of both agents ({@link CallerRunsExecutor}), unless stated otherwise.
 */
final class LocalLink implements WorkerTransport {
  private static final Logger LOG = LoggerFactory.getLogger(LocalLink.class);

  /** So often both sides have their turn before the network has its own. */
  private static final int TURNS = 4;

  private static final long SHUTDOWN_LIMIT_S = 10;

  private final WorkerId worker;
  private final LeaderTransportListener leader;
  private final WorkerTransportListener listener;
  private final SharedThread thread;
  private final MessageQueue<WorkerMessage> toLeader =
      new MessageQueue<>(StreamKind::of, MessageBytes::of);
  private final MessageQueue<LeaderMessage> toWorker =
      new MessageQueue<>(StreamKind::of, MessageBytes::of);

  private final Supplier<SessionId> nextSession;
  private @Nullable SessionId session;
  private boolean isConnecting;
  private boolean isScheduled;

  /** Why the connection ends once the worker has got what was sent to it; null if it stays. */
  private @Nullable String ending;

  /** Something was sent to the worker that it has not dealt with; read by any thread. */
  private volatile boolean hasUnread;

  LocalLink(
      WorkerId worker,
      LeaderTransportListener leader,
      WorkerTransportListener listener,
      Supplier<SessionId> nextSession,
      CallerRunsExecutor thread) {
    this.worker = worker;
    this.leader = leader;
    this.listener = listener;
    this.nextSession = nextSession;
    this.thread = new SharedThread(thread);
  }

  // What the worker calls.

  @Override
  public void connect(InetSocketAddress address) {
    if (isConnecting || session != null) {
      throw new IllegalStateException("there is a connection, or an attempt");
    }
    isConnecting = true;
    thread.execute(() -> connected(address));
  }

  private void connected(InetSocketAddress address) {
    if (!isConnecting) {
      return; // given up meanwhile
    }
    isConnecting = false;
    SessionId id = nextSession.get();
    session = id;
    toLeader.clear();
    toWorker.clear();
    guarded(
        () -> {
          leader.connected(id, worker, LocalAddress.HERE);
          if (id.equals(session)) { // it may have been refused
            listener.connected(address);
          }
        });
    pumpSoon();
  }

  @Override
  public void send(WorkerMessage message) {
    if (session != null && ending == null) {
      toLeader.add(message);
      pumpSoon();
    }
  }

  @Override
  public void flush() {
    // the queues are looked at by a task anyway
  }

  @Override
  public void disconnect() {
    isConnecting = false;
    if (session != null) {
      toWorker.clear();
      end("the worker has disconnected");
    }
  }

  /** Nothing to measure: a message takes no time and is not lost. */
  @Override
  public void measure(Consumer<PathFigures> then) {}

  @Override
  public boolean isWritable(StreamKind kind) {
    return session != null && ending == null && toLeader.isWritable(kind);
  }

  /** Any thread. It says nothing of what the leader is about to send. */
  @Override
  public boolean hasUnread(IntPredicate readable) {
    return hasUnread;
  }

  @Override
  public void setReading(StreamKind kind, boolean reading) {
    toWorker.setStopped(kind, !reading);
    pumpSoon();
  }

  @Override
  public ScheduledExecutorService executor() {
    return thread;
  }

  @Override
  public void shutdown() {
    try {
      thread.execute(this::disconnect);
      thread.execute(this::finish);
    } catch (RejectedExecutionException leaderHasStopped) {
      LOG.debug("the leader has stopped before its worker", leaderHasStopped);
    }
    thread.shutdown();
    try {
      if (!thread.awaitTermination(SHUTDOWN_LIMIT_S, TimeUnit.SECONDS)) {
        LOG.warn("the leader's thread is busy, its worker stops without it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // What the leader calls.

  /** Whether this is the worker's present connection. */
  boolean is(SessionId id) {
    return id.equals(session);
  }

  void send(SessionId id, LeaderMessage message) {
    if (is(id) && ending == null) {
      toWorker.add(message);
      hasUnread = true;
      pumpSoon();
    }
  }

  boolean isWritable(SessionId id, StreamKind kind) {
    return is(id) && ending == null && toWorker.isWritable(kind);
  }

  void setReading(SessionId id, StreamKind kind, boolean reading) {
    if (is(id)) {
      toLeader.setStopped(kind, !reading);
      pumpSoon();
    }
  }

  void close(SessionId id, LeaderMessage.@Nullable Refused lastWord) {
    if (!is(id) || ending != null) {
      return;
    }
    if (lastWord != null) {
      send(id, lastWord);
    }
    end("the leader ended the connection");
  }

  // Delivery.

  private void end(String reason) {
    if (ending == null) {
      ending = reason;
      toLeader.clear();
      pumpSoon();
    }
  }

  private void pumpSoon() {
    if (!isScheduled && session != null) {
      isScheduled = true;
      try {
        thread.execute(this::pump);
      } catch (RejectedExecutionException stopping) {
        isScheduled = false;
      }
    }
  }

  private void pump() {
    isScheduled = false;
    for (int turn = 0; turn < TURNS && session != null; turn++) {
      boolean isDone = guarded(this::deliver);
      if (ending != null) {
        finish();
      } else if (isDone && !toLeader.hasNext() && !toWorker.hasNext()) {
        return;
      }
    }
    pumpSoon();
  }

  private void deliver() {
    SessionId id = session;
    if (id == null) {
      return;
    }
    boolean any = false;
    for (WorkerMessage next = toLeader.poll(); next != null; next = toLeader.poll()) {
      leader.received(id, next);
      any = true;
    }
    if (any) {
      leader.flushPoint();
      for (StreamKind kind : StreamKind.values()) {
        if (toLeader.isWritableAgain(kind)) {
          listener.writable(kind);
        }
      }
    }
    any = false;
    for (LeaderMessage next = toWorker.poll(); next != null; next = toWorker.poll()) {
      listener.received(next);
      any = true;
    }
    if (any) {
      listener.flushPoint();
      for (StreamKind kind : StreamKind.values()) {
        if (toWorker.isWritableAgain(kind)) {
          leader.writable(id, kind);
        }
      }
    }
    hasUnread = toWorker.hasNext();
  }

  /** Tells both sides that the connection has ended, if it is to. */
  private void finish() {
    SessionId id = session;
    String reason = ending;
    if (id == null || reason == null) {
      return;
    }
    session = null;
    ending = null;
    hasUnread = false;
    toWorker.clear();
    toLeader.clear();
    try {
      leader.closed(id, reason);
    } finally {
      listener.closed(reason);
    }
  }

  /** An exception ends the connection, as it does over a network; false if there was one. */
  private boolean guarded(Runnable call) {
    try {
      call.run();
      return true;
    } catch (RuntimeException | Error e) {
      LOG.error("the connection of worker {} to its own leader ends", worker, e);
      toWorker.clear();
      end("failed: " + e);
      return false;
    }
  }
}

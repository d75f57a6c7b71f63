package io.hypersync.wire.local;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.CallerRunsExecutor;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import java.net.SocketAddress;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What the network brings to a leader that callers' threads may run, too: delivered once the
 * network's thread owns the agents. What arrives before they exist waits.
 */
public final class OwningListener implements LeaderTransportListener {
  private final LeaderTransportListener leader;
  private final CountDownLatch begun = new CountDownLatch(1);
  private @Nullable CallerRunsExecutor thread;

  /**
   * Delivers nothing yet.
   *
   * @param leader called by the owner only
   */
  public OwningListener(LeaderTransportListener leader) {
    this.leader = leader;
  }

  /** Begins to deliver. */
  void begin(CallerRunsExecutor agents) {
    thread = agents;
    begun.countDown();
  }

  private void owned(Runnable call) {
    try {
      begun.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted before the leader had begun", e);
    }
    if (thread == null) {
      throw new AssertionError("begun without a thread");
    }
    thread.owned(call);
  }

  @Override
  public void connected(SessionId session, WorkerId worker, SocketAddress address) {
    owned(() -> leader.connected(session, worker, address));
  }

  @Override
  public void connected(
      SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address) {
    owned(() -> leader.connected(session, worker, cert, address));
  }

  @Override
  public void received(SessionId session, WorkerMessage message) {
    owned(() -> leader.received(session, message));
  }

  @Override
  public void flushPoint() {
    owned(leader::flushPoint);
  }

  @Override
  public void writable(SessionId session, StreamKind kind) {
    owned(() -> leader.writable(session, kind));
  }

  @Override
  public void closed(SessionId session, String reason) {
    owned(() -> leader.closed(session, reason));
  }
}

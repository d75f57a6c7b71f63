package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes transport events to the agent, on the transport's thread. */
final class LeaderTransportAdapter implements LeaderTransportListener {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderTransportAdapter.class);

  private final CountDownLatch begun = new CountDownLatch(1);
  private @Nullable AgentLoop<LeaderAgent> loop;
  private @Nullable LeaderChunks chunks;

  /**
   * Starts delivery. Events that arrive before this block: the transport listens before the agent
   * exists.
   */
  void begin(AgentLoop<LeaderAgent> agentLoop, LeaderChunks leaderChunks) {
    loop = agentLoop;
    chunks = leaderChunks;
    begun.countDown();
  }

  @Override
  public void connected(SessionId session, WorkerId worker, SocketAddress address) {
    opened(session, worker, null, address);
  }

  @Override
  public void connected(
      SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address) {
    opened(session, worker, cert, address);
  }

  private void opened(
      SessionId session, WorkerId worker, @Nullable CertificateFacts cert, SocketAddress address) {
    String where =
        address instanceof InetSocketAddress inet ? HostPorts.numeric(inet) : address.toString();
    LOG.debug("worker {} connected from {} ({})", worker, where, session);
    loop().guarded(agent -> agent.sessionOpened(session, worker, where, cert));
  }

  @Override
  public void received(SessionId session, WorkerMessage message) {
    loop().guarded(agent -> agent.received(session, message));
  }

  @Override
  public void flushPoint() {
    loop().flushPoint();
  }

  @Override
  public void writable(SessionId session, StreamKind kind) {
    if (kind == StreamKind.BULK && chunks != null) {
      chunks.writable(session);
    }
    loop().guarded(LeaderAgent::writable);
    loop().wake();
  }

  @Override
  public void closed(SessionId session, String reason) {
    LOG.debug("{} ended: {}", session, reason);
    loop().guarded(agent -> agent.sessionClosed(session, reason));
    if (chunks != null) {
      chunks.closed(session);
    }
  }

  private AgentLoop<LeaderAgent> loop() {
    try {
      begun.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted before the leader had begun", e);
    }
    if (loop == null) {
      throw new AssertionError("begun without a loop");
    }
    return loop;
  }
}

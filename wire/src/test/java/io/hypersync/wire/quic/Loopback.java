package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.wire.pki.WorkspaceAuthority;
import io.hypersync.wire.transport.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A leader on a real port of 127.0.0.1, and workers that connect to it. */
final class Loopback implements AutoCloseable {
  static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /** On a busy host a handshake can take more than a second. */
  private static final Duration PATIENCE = Duration.ofMillis(RecordingListeners.PATIENCE_MS);

  final WorkspaceAuthority authority;
  final RecordingListeners.Leader leader = new RecordingListeners.Leader();
  final QuicLeaderServer server;
  private final QuicOptions options;
  private final List<QuicWorkerClient> clients = new ArrayList<>();

  Loopback(Path dir) throws PkiException, LeaderBindException {
    this(dir, QuicOptions.defaults());
  }

  Loopback(Path dir, QuicOptions options) throws PkiException, LeaderBindException {
    this.options = options;
    authority = WorkspaceAuthority.create(dir.resolve("ca"), SampleMessages.WORKSPACE);
    server =
        QuicLeaderServer.bind(
            ANY_PORT, authority.issueLeader(), SampleMessages.WORKSPACE, leader, options);
  }

  /** A connected worker and its recorded callbacks. */
  record Joined(RecordingListeners.Worker told, QuicWorkerClient client, SessionId session) {}

  /** Makes a worker that is not connected yet. */
  QuicWorkerClient client(
      Identity identity, WorkspaceId workspace, RecordingListeners.Worker told) {
    return client(identity, workspace, told, options);
  }

  QuicWorkerClient client(
      Identity identity,
      WorkspaceId workspace,
      RecordingListeners.Worker told,
      QuicOptions itsOptions) {
    QuicWorkerClient client = QuicWorkerClient.create(identity, workspace, told, itsOptions);
    clients.add(client);
    return client;
  }

  Joined join(String name) throws InterruptedException {
    return join(name, options, server.localAddress());
  }

  Joined join(String name, QuicOptions itsOptions, InetSocketAddress at)
      throws InterruptedException {
    RecordingListeners.Worker told = new RecordingListeners.Worker();
    QuicWorkerClient client =
        client(
            authority.issueWorker(new WorkerId(name)),
            SampleMessages.WORKSPACE,
            told,
            itsOptions.withConnectTimeout(PATIENCE));
    RecordingListeners.run(client.executor(), () -> client.connect(at));
    var _ = told.await(RecordingListeners.Event.Connected.class);
    RecordingListeners.Event.Connected connected =
        leader.await(RecordingListeners.Event.Connected.class);
    assertEquals(new WorkerId(name), connected.worker(), "the name in the certificate");
    return new Joined(told, client, Objects.requireNonNull(connected.session()));
  }

  /** Asserts that a message of this worker reaches the leader. */
  void assertAlive(Joined worker, long requestId) throws InterruptedException {
    RecordingListeners.run(
        worker.client().executor(),
        () -> {
          worker.client().send(new WorkerMessage.BarrierRequest(requestId));
          worker.client().flush();
        });
    RecordingListeners.Event.FromWorker received =
        leader.await(RecordingListeners.Event.FromWorker.class);
    assertEquals(worker.session(), received.session());
    assertEquals(new WorkerMessage.BarrierRequest(requestId), received.message());
  }

  @Override
  public void close() {
    clients.forEach(QuicWorkerClient::shutdown);
    server.shutdown();
  }
}

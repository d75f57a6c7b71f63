package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.pki.CertificateDates;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.WorkspaceAuthority;
import io.hypersync.wire.transport.ConnectFailure;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.incubator.codec.quic.QuicServerCodecBuilder;
import io.netty.incubator.codec.quic.QuicSslContextBuilder;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may connect to whom, and how refusals are reported. */
@Tag("slow")
class QuicHandshakeTest {
  private static final WorkerId WORKER = new WorkerId("w1");

  @TempDir Path dir;

  private RecordingListeners.Event.ConnectFailed failToConnect(
      Loopback net, Identity identity, WorkspaceId workspace, InetSocketAddress address)
      throws InterruptedException {
    RecordingListeners.Worker told = new RecordingListeners.Worker();
    QuicWorkerClient client = net.client(identity, workspace, told);
    RecordingListeners.run(client.executor(), () -> client.connect(address));
    return told.await(RecordingListeners.Event.ConnectFailed.class);
  }

  private static void assertFailure(
      RecordingListeners.Event.ConnectFailed failed, ConnectFailure expected, String... parts) {
    assertEquals(expected, failed.failure(), failed::message);
    for (String part : parts) {
      assertTrue(
          failed.message().contains(part),
          () -> '"' + failed.message() + "\" should say \"" + part + '"');
    }
  }

  @Test
  void aWorkerOfAnotherAuthorityRefusesTheLeaderAndBothSaySo() throws Exception {
    WorkspaceAuthority other =
        WorkspaceAuthority.create(dir.resolve("other"), SampleMessages.WORKSPACE);
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      assertFailure(
          failToConnect(
              net, other.issueWorker(WORKER), SampleMessages.WORKSPACE, net.server.localAddress()),
          ConnectFailure.CERTIFICATE,
          "not the authority of this workspace",
          HostPorts.of(net.server.localAddress()));
      awaitLine(log);
      log.assertOne("WARN", "127.0.0.1", "refused the handshake", "our certificate");
      assertTrue(net.leader.events.isEmpty(), () -> "nobody connected: " + net.leader.events);
    }
  }

  @Test
  void aWorkerWithAForeignCertificateIsRefusedAndBothSaySo() throws Exception {
    WorkspaceAuthority other =
        WorkspaceAuthority.create(dir.resolve("other"), SampleMessages.WORKSPACE);
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      Identity foreign = other.issueWorker(WORKER);
      Identity mixed = new Identity(net.authority.certificate(), foreign.cert(), foreign.key());
      assertFailure(
          failToConnect(net, mixed, SampleMessages.WORKSPACE, net.server.localAddress()),
          ConnectFailure.CERTIFICATE,
          "refused the handshake");
      awaitLine(log);
      log.assertOne("WARN", "127.0.0.1", "not the authority of this workspace");
      assertTrue(net.leader.events.isEmpty(), () -> "nobody connected: " + net.leader.events);
    }
  }

  @Test
  void aWorkerOfAnotherWorkspaceOfTheSameAuthorityRefusesTheLeader() throws Exception {
    WorkspaceId another = WorkspaceId.parse("ffffffffffffffffffffffffffffffff");
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      assertFailure(
          failToConnect(net, net.authority.issueWorker(WORKER), another, net.server.localAddress()),
          ConnectFailure.CERTIFICATE,
          "leader.ffffffffffffffffffffffffffffffff.hypersync",
          "another workspace");
      awaitLine(log);
      log.assertOne("WARN", "127.0.0.1");
    }
  }

  @Test
  void theLeadersCertificateIsNotGoodForAWorker() throws Exception {
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      assertFailure(
          failToConnect(
              net,
              net.authority.issueLeader(),
              SampleMessages.WORKSPACE,
              net.server.localAddress()),
          ConnectFailure.CERTIFICATE,
          "refused the handshake");
      awaitLine(log);
      log.assertOne("WARN", "not one of a worker");
    }
  }

  /** By the leader's clock this worker's certificate is valid only from tomorrow on. */
  @Test
  void whoseDatesAreRefusedIsToldToLookAtTheClocks() throws Exception {
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      Identity early =
          WorkspaceAuthority.open(
                  dir.resolve("ca"),
                  SampleMessages.WORKSPACE,
                  InstantSource.fixed(Instant.now().plus(Duration.ofDays(2))))
              .issueWorker(WORKER);
      RecordingListeners.Event.ConnectFailed failed =
          failToConnect(net, early, SampleMessages.WORKSPACE, net.server.localAddress());
      assertFailure(
          failed,
          ConnectFailure.CERTIFICATE,
          "by its clock our certificate has expired, or is not valid yet",
          "it is valid from " + early.cert().getNotBefore().toInstant(),
          "by the clock of this host it is");
      assertTrue(CertificateDates.isAboutClock(failed.message()), failed::message);
      awaitLine(log);
      log.assertOne("WARN", "127.0.0.1", "not valid yet", "This clock is behind");
    }
  }

  @Test
  void whoShowsNoCertificateIsNotLetIn() throws Exception {
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir);
        RogueClient rogue = new RogueClient(net.server.localAddress(), null, Protocol.VERSION)) {
      // A client's handshake completes before the server notices that there is no certificate.
      assertNotNull(rogue.awaitClose(), "the leader closes the connection");
      awaitLine(log);
      log.assertOne("WARN", "127.0.0.1");
      assertTrue(net.leader.events.isEmpty(), () -> "nobody connected: " + net.leader.events);
    }
  }

  /** Otherwise a peer that begins connections and never opens them would keep workers out. */
  @Test
  void whenTooManyAreNotOpenYetTheOldestMakesRoom() throws Exception {
    QuicOptions options =
        QuicOptions.defaults().withIdleTimeout(Duration.ofSeconds(60)).withMaxUnopened(2);
    try (WarnLines log = new WarnLines();
        WarnLines netty = new WarnLines(Channel.class);
        Loopback net = new Loopback(dir, options);
        RogueClient first =
            RogueClient.joined(net.server.localAddress(), net.authority.issueWorker(WORKER));
        RogueClient _ =
            RogueClient.joined(net.server.localAddress(), net.authority.issueWorker(WORKER))) {
      Loopback.Joined worker = net.join("w2");
      net.assertAlive(worker, 1);
      assertNotNull(first.awaitClose(), "the oldest is still there");
      log.assertOne("WARN", "127.0.0.1", "made room");
      Loopback.Joined another = net.join("w3");
      net.assertAlive(another, 1);
      net.assertAlive(worker, 1);
      assertEquals(List.of(), netty.all());
    }
  }

  @Test
  void whoSpeaksAnotherProtocolIsNotLetIn() throws Exception {
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir)) {
      assertThrows(
          ExecutionException.class,
          () ->
              new RogueClient(
                  net.server.localAddress(), net.authority.issueWorker(WORKER), "hypersync/2"));
      awaitLine(log);
      log.assertOne("WARN", "127.0.0.1");
      assertTrue(net.leader.events.isEmpty(), () -> "nobody connected: " + net.leader.events);
    }
  }

  @Test
  void aLeaderThatSpeaksAnotherProtocolIsReportedAsThat() throws Exception {
    NioEventLoopGroup loop = new NioEventLoopGroup(1);
    try (Loopback net = new Loopback(dir)) {
      Identity identity = net.authority.issueLeader();
      Channel future =
          new Bootstrap()
              .group(loop)
              .channel(NioDatagramChannel.class)
              .handler(
                  new QuicServerCodecBuilder()
                      .sslContext(
                          QuicSslContextBuilder.forServer(identity.key(), null, identity.cert())
                              .applicationProtocols("hypersync/2")
                              .build())
                      .maxIdleTimeout(1, TimeUnit.SECONDS)
                      .handler(
                          new ChannelInboundHandlerAdapter() {
                            @Override
                            public boolean isSharable() {
                              return true;
                            }

                            @Override
                            public void exceptionCaught(
                                ChannelHandlerContext ctx, Throwable cause) {
                              ctx.channel()
                                  .eventLoop()
                                  .execute(
                                      () -> {
                                        var _ = ctx.close();
                                      });
                            }
                          })
                      .streamHandler(new ChannelInboundHandlerAdapter())
                      .build())
              .bind(Loopback.ANY_PORT)
              .sync()
              .channel();
      assertFailure(
          failToConnect(
              net,
              net.authority.issueWorker(WORKER),
              SampleMessages.WORKSPACE,
              (InetSocketAddress) future.localAddress()),
          ConnectFailure.PROTOCOL,
          "another protocol");
    } finally {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @Test
  void whereNobodyAnswersTheAttemptEndsInItsTime() throws Exception {
    try (Loopback net = new Loopback(dir);
        DatagramSocket silent = new DatagramSocket(Loopback.ANY_PORT)) {
      long start = System.nanoTime();
      assertFailure(
          failToConnect(
              net,
              net.authority.issueWorker(WORKER),
              SampleMessages.WORKSPACE,
              (InetSocketAddress) silent.getLocalSocketAddress()),
          ConnectFailure.UNREACHABLE,
          "within 1000 ms");
      long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      assertTrue(tookMs >= 900 && tookMs < 5_000, "took " + tookMs + " ms");
    }
  }

  /** One round trip takes most of the time limit, and connecting takes more than one. */
  @Test
  void whoAnswersSlowlyIsWaitedFor() throws Exception {
    try (Loopback net = new Loopback(dir);
        CutRelay slow = new CutRelay(net.server.localAddress(), 400)) {
      RecordingListeners.Worker told = new RecordingListeners.Worker();
      QuicWorkerClient client =
          net.client(net.authority.issueWorker(WORKER), SampleMessages.WORKSPACE, told);
      RecordingListeners.run(client.executor(), () -> client.connect(slow.address()));
      var _ = told.await(RecordingListeners.Event.Connected.class);
    }
  }

  @Test
  void anUnknownHostIsUnreachable() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      assertFailure(
          failToConnect(
              net,
              net.authority.issueWorker(WORKER),
              SampleMessages.WORKSPACE,
              InetSocketAddress.createUnresolved("no.such.host.invalid", 1)),
          ConnectFailure.UNREACHABLE,
          "no.such.host.invalid");
    }
  }

  @Test
  void onlyOneAttemptAtATime() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      RecordingListeners.run(
          worker.client().executor(),
          () ->
              assertThrows(
                  IllegalStateException.class,
                  () -> worker.client().connect(net.server.localAddress())));
    }
  }

  @Test
  void aPortInUseIsExplained() throws Exception {
    try (DatagramSocket holder = new DatagramSocket(Loopback.ANY_PORT)) {
      WorkspaceAuthority authority =
          WorkspaceAuthority.create(dir.resolve("ca"), SampleMessages.WORKSPACE);
      InetSocketAddress taken =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), holder.getLocalPort());
      LeaderBindException refused =
          assertThrows(
              LeaderBindException.class,
              () ->
                  QuicLeaderServer.bind(
                      taken,
                      authority.issueLeader(),
                      SampleMessages.WORKSPACE,
                      new RecordingListeners.Leader(),
                      QuicOptions.defaults()));
      String message = String.valueOf(refused.getMessage());
      assertTrue(message.contains("another program holds the port"), message);
      assertTrue(message.contains(String.valueOf(holder.getLocalPort())), message);
      assertTrue(message.contains("another port"), message);
    }
  }

  private static void awaitLine(WarnLines log) throws InterruptedException {
    long deadline =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RecordingListeners.PATIENCE_MS);
    while (log.all().isEmpty() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}

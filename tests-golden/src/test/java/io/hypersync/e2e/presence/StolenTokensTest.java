package io.hypersync.e2e.presence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.pki.WorkspaceAuthority;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.quic.QuicWorkerClient;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Somebody who has a worker's certificate, and resume tokens that were overheard or made up, speaks
 * with a real leader over real sockets.
 */
@RealMounts
class StolenTokensTest {
  private static final long PAUSE_MS = 100;

  private final List<Client> clients = new ArrayList<>();
  private TestCluster cluster;
  private WorkspaceAuthority authority;

  @BeforeEach
  void aLeaderAndAWorker() throws Exception {
    cluster = TestCluster.create();
    cluster.startLeader();
    authority =
        WorkspaceAuthority.open(cluster.workspace().root().resolve("ca"), cluster.workspace().id());
  }

  @AfterEach
  void close() throws Exception {
    clients.forEach(client -> client.transport.shutdown());
    cluster.close();
  }

  @Test
  void whoReplaysATokenTakesTheSessionUpAndTheOtherOneIsTold() throws Exception {
    Welcome first = connect("thief", "").welcome();
    assertFalse(first.grant().resumed());
    Client online = clients.getLast();
    Welcome second = connect("thief", first.grant().token()).welcome();
    assertTrue(second.grant().resumed());
    assertEquals(first.grant().session(), second.grant().session());
    assertEquals(Refused.Reason.SESSION_REPLACED, online.refused().reason());
    assertEquals(List.of("worker_joined thief"), events());
    JsonNode counts = cluster.leader().status().path("presence");
    assertEquals(1, counts.path("session_replaced").asInt(), counts::toString);
    assertEquals(1, counts.path("resume_tokens").path("valid").asInt(), counts::toString);
  }

  @Test
  void whatTheLeaderHasNotSignedIsAHelloWithoutAToken() throws Exception {
    Welcome first = connect("thief", "").welcome();
    String token = first.grant().token();
    String longer = changed(token, "\"exp\":\\d+", "\"exp\":999999999999999");
    leave(clients.getFirst(), "thief");
    Welcome anew = connect("thief", longer).welcome();
    assertFalse(anew.grant().resumed());
    leave(clients.getLast(), "thief");
    Welcome real = connect("thief", token).welcome();
    assertTrue(real.grant().resumed(), "which is the one that its run has had all the time");
    JsonNode tokens = cluster.leader().status().path("presence").path("resume_tokens");
    assertEquals(1, tokens.path("forged").asInt(), tokens::toString);
    assertEquals(1, tokens.path("valid").asInt(), tokens::toString);
    assertTrue(cluster.leader().log().contains("(forged), it begins anew"));
  }

  /** The token of a real worker, which does not notice. */
  @Test
  void theTokenOfAnotherWorkerIsOfNoUse() throws Exception {
    Welcome victim = connect("victim", "").welcome();
    Welcome thief = connect("thief", victim.grant().token()).welcome();
    assertFalse(thief.grant().resumed());
    assertNotEquals(victim.grant().session(), thief.grant().session());
    String renamed = changed(victim.grant().token(), "\"sub\":\"victim\"", "\"sub\":\"thief\"");
    leave(clients.getLast(), "thief");
    assertFalse(connect("thief", renamed).welcome().grant().resumed());
    JsonNode tokens = cluster.leader().status().path("presence").path("resume_tokens");
    assertEquals(1, tokens.path("other_worker").asInt(), tokens::toString);
    assertEquals(1, tokens.path("forged").asInt(), tokens::toString);
    assertTrue(clients.getFirst().isOpen(), "the victim is connected as before");
    assertEquals(List.of("worker_joined victim", "worker_joined thief"), events());
  }

  private Client connect(String worker, String token) throws Exception {
    Client client =
        new Client(
            authority.issueWorker(new WorkerId(worker)),
            cluster.workspace().id(),
            new WorkerId(worker),
            token);
    clients.add(client);
    InetSocketAddress leader =
        new InetSocketAddress(cluster.address().host(), cluster.address().port());
    client.transport.executor().execute(() -> client.transport.connect(leader));
    return client;
  }

  /** Closes a connection, and waits until the leader knows. */
  private void leave(Client client, String worker) throws Exception {
    client.transport.executor().execute(client.transport::disconnect);
    Await.until(
        worker + " is offline",
        () -> {
          for (JsonNode peer :
              cluster
                  .leader()
                  .ask("peers", JsonNodeFactory.instance.objectNode().put("all", true))
                  .path("peers")) {
            if (peer.path("worker_id").asText().equals(worker)) {
              return peer.path("transport").asText().equals("offline");
            }
          }
          return false;
        });
  }

  private List<String> events() {
    List<String> told = new ArrayList<>();
    for (JsonNode event :
        cluster.leader().ask("events", JsonNodeFactory.instance.objectNode()).path("events")) {
      told.add(event.path("kind").asText() + " " + event.path("worker_id").asText());
    }
    return told;
  }

  /** The token with another payload, and the signature that it had. */
  private static String changed(String token, String what, String to) {
    String[] parts = token.split("\\.", -1);
    String payload = new String(Base64.getUrlDecoder().decode(parts[2]), StandardCharsets.US_ASCII);
    String other = payload.replaceAll(what, to);
    assertNotEquals(payload, other);
    return parts[0]
        + "."
        + parts[1]
        + "."
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(other.getBytes(StandardCharsets.US_ASCII))
        + "."
        + parts[3];
  }

  /** A connection that says Hello, and nothing else. */
  private static final class Client implements WorkerTransportListener {
    private final LinkedBlockingQueue<LeaderMessage> answers = new LinkedBlockingQueue<>();
    private final WorkspaceId workspace;
    private final WorkerId worker;
    private final String token;
    private final QuicWorkerClient transport;
    private volatile boolean open;

    Client(Identity identity, WorkspaceId workspace, WorkerId worker, String token) {
      this.workspace = workspace;
      this.worker = worker;
      this.token = token;
      this.transport = QuicWorkerClient.create(identity, workspace, this, QuicOptions.defaults());
    }

    @Override
    public void connected(InetSocketAddress leader) {
      open = true;
      transport.send(
          new Hello(
              Protocol.VERSION,
              workspace,
              worker,
              OptionalLong.empty(),
              0,
              FsState.genesis().root(),
              new ClientId(worker.name().hashCode(), 1),
              Protocol.REVISION,
              Features.SUPPORTED,
              token,
              SeenState.NONE,
              0));
      transport.flush();
    }

    Welcome welcome() throws InterruptedException {
      return assertInstanceOf(Welcome.class, answer());
    }

    Refused refused() throws InterruptedException {
      return assertInstanceOf(Refused.class, answer());
    }

    private @Nullable LeaderMessage answer() throws InterruptedException {
      return answers.poll(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    boolean isOpen() {
      return open;
    }

    /** The leader hangs up whoever is silent. */
    private void goOn() {
      if (open) {
        transport.send(new BarrierRequest(1));
        transport.flush();
      }
    }

    @Override
    public void received(LeaderMessage message) {
      if (message instanceof Welcome) {
        ScheduledFuture<?> _ =
            transport
                .executor()
                .scheduleAtFixedRate(this::goOn, PAUSE_MS, PAUSE_MS, TimeUnit.MILLISECONDS);
      }
      if (message instanceof Welcome || message instanceof Refused) {
        answers.add(message);
      }
    }

    @Override
    public void connectFailed(ConnectFailure failure, String message) {
      throw new AssertionError(message);
    }

    @Override
    public void received(ChunkSymbol symbol) {}

    @Override
    public void flushPoint() {}

    @Override
    public void writable(StreamKind kind) {}

    @Override
    public void closed(String reason) {
      open = false;
    }
  }
}

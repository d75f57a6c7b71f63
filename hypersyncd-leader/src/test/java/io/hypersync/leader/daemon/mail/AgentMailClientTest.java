package io.hypersync.leader.daemon.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.fixtures.FakeAgentMail;
import io.hypersync.fixtures.FakeAgentMail.Dialect;
import io.hypersync.fixtures.FakeAgentMail.Trouble;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.mail.CallOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of a real server, which may do anything: each ends in time, and says how it has ended. */
class AgentMailClientTest {
  private static final ObjectNode PROJECT =
      JsonNodeFactory.instance.objectNode().put("human_key", "/ws");

  private FakeAgentMail server;
  private AgentMailClient client;

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void aCallIsAnswered(Dialect dialect) throws Exception {
    start(dialect, "");
    CallOutcome.Answered answered =
        assertInstanceOf(CallOutcome.Answered.class, client.tool("ensure_project", PROJECT));
    assertEquals("/ws", answered.value().path("human_key").asText());
    CallOutcome.Answered list =
        assertInstanceOf(
            CallOutcome.Answered.class,
            client.resource("resource://file_reservations/%2Fws?active_only=true&format=json"));
    assertTrue(list.value().isArray());
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void bothFormsOfErrors(Dialect dialect) throws Exception {
    start(dialect, "");
    assertEquals(new CallOutcome.Refused("Unknown tool: none"), client.tool("none", PROJECT));
  }

  @Test
  void theTokenIsSent() throws Exception {
    start(Dialect.PYTHON, "secret");
    server.requireToken("secret");
    assertInstanceOf(CallOutcome.Answered.class, client.tool("ensure_project", PROJECT));
    server.requireToken("another");
    CallOutcome.NotDone refused =
        assertInstanceOf(CallOutcome.NotDone.class, client.tool("ensure_project", PROJECT));
    assertTrue(refused.why().contains("token_file"), refused.why());
    assertFalse(refused.why().contains("secret"), refused.why());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "HALF,            Unsure",
    "OVERSIZED,       Unsure",
    "HTML,            Unsure",
    "NO_JSON,         Unsure",
    "HTTP_500,        Unsure",
    "REDIRECT,        NotDone",
    "EVENT_STREAM,    Answered",
  })
  void whatIsWrongWithAnAnswer(Trouble trouble, String expected) throws Exception {
    start(Dialect.PYTHON, "");
    server.trouble(trouble);
    CallOutcome outcome = client.tool("ensure_project", PROJECT);
    assertEquals(expected, outcome.getClass().getSimpleName(), outcome::toString);
    server.trouble(Trouble.NONE);
    assertInstanceOf(CallOutcome.Answered.class, client.tool("ensure_project", PROJECT));
  }

  @ParameterizedTest
  @EnumSource(names = {"HANG", "HANG_AFTERWARDS", "ENDLESS"})
  void aServerThatHangsIsLeftAfterFiveSeconds(Trouble trouble) throws Exception {
    start(Dialect.PYTHON, "");
    server.trouble(trouble);
    long beganNs = System.nanoTime();
    assertInstanceOf(CallOutcome.Unsure.class, client.tool("ensure_project", PROJECT));
    long ms = Duration.ofNanos(System.nanoTime() - beganNs).toMillis();
    assertTrue(ms >= 4_500 && ms < 15_000, () -> ms + " ms");
  }

  @Test
  void whereNobodyListensNothingIsDone() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    client = client("http://127.0.0.1:" + free + "/mcp/", "");
    assertInstanceOf(CallOutcome.NotDone.class, client.tool("ensure_project", PROJECT));
    client.close();
    client = client("http://no-such-host.invalid/mcp/", "");
    assertInstanceOf(CallOutcome.NotDone.class, client.tool("ensure_project", PROJECT));
  }

  private void start(Dialect dialect, String token) throws IOException {
    server = FakeAgentMail.start(dialect);
    client = client(server.url(), token);
  }

  private static AgentMailClient client(String url, String token) {
    return new AgentMailClient(
        new AgentMailOptions(url, token, true, List.of("/ws"), List.of("/ws")));
  }
}

package io.hypersync.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.UserError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scrapes over real sockets. */
@Timeout(60)
final class MetricsEndpointTest {
  private static final int ANY = 0;
  private final AtomicInteger asked = new AtomicInteger();

  private List<ObjectNode> leader() {
    asked.incrementAndGet();
    return List.of(
        JsonNodeFactory.instance.objectNode().put("role", "leader").put("commit_index", 42));
  }

  private static MetricsOptions at(int port, int ports, String token) {
    return new MetricsOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        ports,
        Optional.of(token).filter(text -> !text.isEmpty()));
  }

  private MetricsEndpoint open(Supplier<List<ObjectNode>> daemons) throws Exception {
    return open(at(ANY, 1, ""), daemons);
  }

  private static MetricsEndpoint open(MetricsOptions options, Supplier<List<ObjectNode>> daemons)
      throws Exception {
    MetricsEndpoint endpoint = MetricsEndpoint.begin(options, daemons);
    endpoint.daemonIsReady();
    return endpoint;
  }

  private static URI awaitUrl(MetricsEndpoint endpoint) throws InterruptedException {
    while (endpoint.url().isEmpty()) {
      Thread.sleep(5);
    }
    return URI.create(endpoint.url().get());
  }

  private static HttpResponse<String> answer(URI url, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(20));
    for (String header : headers) {
      String[] parts = header.split(": ", 2);
      request.header(parts[0], parts[1]);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  /** Status, type and body. */
  private static String ask(URI url, String... headers) throws IOException, InterruptedException {
    HttpResponse<String> answer = answer(url, headers);
    return answer.statusCode()
        + " "
        + answer.headers().firstValue("Content-Type").orElse("")
        + "\n"
        + answer.body();
  }

  @Test
  void whatIsShownIsInThePrometheusFormatUnlessOpenMetricsIsAskedFor() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader)) {
      URI url = awaitUrl(endpoint);
      String text = ask(url);
      assertTrue(text.startsWith("200"), text);
      assertTrue(text.contains("text/plain"), text);
      assertTrue(text.contains("hypersync_leader_commit_index 42.0"), text);
      assertTrue(text.contains("process_resident_memory_bytes "), text);
      assertTrue(text.contains("process_open_fds "), text);
      String open = ask(url, "Accept: application/openmetrics-text; version=1.0.0");
      assertTrue(open.contains("application/openmetrics-text"), open);
      assertTrue(open.contains("hypersync_leader_commit_index 42.0"), open);
      assertTrue(open.contains("# EOF"), open);
    }
  }

  @Test
  void promtoolHasNothingToSay() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader)) {
      Promtool.Result checked = Promtool.run(answer(awaitUrl(endpoint)).body(), "check", "metrics");
      assertEquals(0, checked.exit(), checked.output());
      assertEquals("", checked.output());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Authorization: Bearer other", "Authorization: Basic c2VjcmV0"})
  void withoutTheTokenNothingIsShown(String header) throws Exception {
    try (MetricsEndpoint endpoint = open(at(ANY, 1, "secret"), this::leader)) {
      URI url = awaitUrl(endpoint);
      String refused = header.isEmpty() ? ask(url) : ask(url, header);
      assertTrue(refused.startsWith("401"), refused);
      assertFalse(refused.contains("hypersync_leader"), refused);
      assertEquals(0, asked.get());
      String shown = ask(url, "Authorization: Bearer secret");
      assertTrue(shown.contains("hypersync_leader_commit_index 42.0"), shown);
    }
  }

  @Test
  void scrapesAsFastAsCanBeAskTheDaemonTwiceASecondAtMost() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader)) {
      URI url = awaitUrl(endpoint);
      long beganNs = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        assertTrue(ask(url).contains("hypersync_leader_commit_index"));
      }
      long halfSeconds =
          Duration.ofNanos(System.nanoTime() - beganNs).dividedBy(RecentFigures.FRESH);
      assertTrue(asked.get() <= 2 + halfSeconds, () -> asked + " in " + halfSeconds + " / 2 s");
    }
  }

  @Test
  void anAnswerIsZippedForThoseWhoTakeThat() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader)) {
      HttpRequest request =
          HttpRequest.newBuilder(awaitUrl(endpoint)).header("Accept-Encoding", "gzip").build();
      try (HttpClient client = HttpClient.newHttpClient()) {
        HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
        assertEquals("gzip", answer.headers().firstValue("Content-Encoding").orElse(""));
        String text =
            new String(
                new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes(),
                StandardCharsets.UTF_8);
        assertTrue(text.contains("hypersync_leader_commit_index 42.0"), text);
      }
    }
  }

  @Test
  void nothingElseIsShownAndNothingIsTaken() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader);
        HttpClient client = HttpClient.newHttpClient()) {
      URI url = awaitUrl(endpoint);
      assertEquals(404, answer(url.resolve("/")).statusCode());
      assertEquals(404, answer(url.resolve("/metrics/more")).statusCode());
      HttpRequest post = HttpRequest.newBuilder(url).POST(BodyPublishers.ofString("x")).build();
      assertEquals(405, client.send(post, BodyHandlers.ofString()).statusCode());
      HttpRequest head = HttpRequest.newBuilder(url).HEAD().build();
      assertEquals(200, client.send(head, BodyHandlers.ofString()).statusCode());
    }
  }

  @Test
  void aPageIsMadeOnceForAllWhoAskWhileItsFiguresAreFresh() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader)) {
      URI url = awaitUrl(endpoint);
      Set<String> pages = new HashSet<>();
      long beganNs = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        pages.add(answer(url.resolve("/metrics?nothing=" + i)).body());
      }
      long halfSeconds =
          Duration.ofNanos(System.nanoTime() - beganNs).dividedBy(RecentFigures.FRESH);
      // Each page says how much processor time it took up to now, so no two are alike for long.
      assertTrue(
          pages.size() <= 2 * (2 + halfSeconds),
          () -> pages.size() + " in " + halfSeconds + " / 2 s");
    }
  }

  @Test
  void aDaemonThatDoesNotAnswerIsSaidSo() throws Exception {
    Supplier<List<ObjectNode>> busy =
        () -> {
          throw new UserError("the leader is too busy to answer", "");
        };
    try (MetricsEndpoint endpoint = open(busy)) {
      String text = ask(awaitUrl(endpoint));
      assertTrue(text.contains("hypersync_metrics_age_seconds -1.0"), text);
      assertTrue(text.contains("process_cpu_seconds_total "), text);
    }
  }

  @Test
  void whoeverIsSlowOrSaysNonsenseDoesNotKeepOthersAway() throws Exception {
    try (MetricsEndpoint endpoint = open(this::leader)) {
      URI url = awaitUrl(endpoint);
      List<Socket> slow = new ArrayList<>();
      try {
        for (int i = 0; i < 3 * MetricsEndpoint.MAX_CONNECTIONS; i++) {
          Socket socket = new Socket(url.getHost(), url.getPort());
          slow.add(socket);
          socket.setSoTimeout(30_000);
          try {
            byte[] begun =
                (i % 2 == 0 ? "GET /metr" : "\0\1\2nonsense\n\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            socket.getOutputStream().write(begun);
          } catch (IOException refused) {
            // Beyond the limit a connection is closed at once.
          }
        }
        String shown = "";
        long beganNs = System.nanoTime();
        while (!shown.contains("hypersync_leader_commit_index 42.0")) {
          try {
            shown = ask(url);
          } catch (IOException full) {
            Thread.sleep(100);
          }
          assertTrue(
              System.nanoTime() - beganNs < 30_000_000_000L, "others are kept away for too long");
        }
      } finally {
        for (Socket socket : slow) {
          socket.close();
        }
      }
    }
  }

  @Test
  void anotherPortIsFoundIfTheFirstOneIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        MetricsEndpoint endpoint = open(at(taken.getLocalPort(), 20, ""), this::leader)) {
      assertTrue(awaitUrl(endpoint).getPort() > taken.getLocalPort());
    }
  }

  @Test
  void aPortThatWasChosenIsTriedUntilItIsFree() throws Exception {
    ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    int port = taken.getLocalPort();
    try (MetricsEndpoint endpoint = open(at(port, 1, ""), this::leader)) {
      try {
        Thread.sleep(300);
        assertEquals(Optional.empty(), endpoint.url());
      } finally {
        taken.close();
      }
      assertEquals(port, awaitUrl(endpoint).getPort());
    }
  }
}

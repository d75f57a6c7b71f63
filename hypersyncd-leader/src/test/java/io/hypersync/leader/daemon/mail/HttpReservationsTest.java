package io.hypersync.leader.daemon.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.fixtures.FakeAgentMail;
import io.hypersync.fixtures.FakeAgentMail.Dialect;
import io.hypersync.fixtures.FakeAgentMail.Trouble;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.reservation.ReservationView;
import io.hypersync.leader.reservation.SourceFreshness;
import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reservations that a server is asked for (hypersync.md 10.3). */
class HttpReservationsTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private FakeAgentMail server;
  private AgentMailClient client;
  private HttpReservations source;
  private volatile ReservationView told = ReservationView.NOTHING;

  @AfterEach
  void stop() {
    source.close();
    client.close();
    server.close();
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void thoseOfAllProjectsAreRead(Dialect dialect) throws Exception {
    start(dialect, "/ws/pay", "/ws/web");
    server.reservations("/ws/pay", List.of(FakeAgentMail.reservation(1, "Blue", "*.go", true)));
    server.reservations("/ws/web", List.of(FakeAgentMail.reservation(1, "Green", "src", false)));
    source.start();
    await(() -> holders("pay/a/b.go").equals(List.of("Blue")));
    assertEquals(List.of("Green"), holders("web/src/f"));
    assertEquals(List.of(), holders("web/b.go"));
    SourceFreshness freshness = source.freshness(source.view());
    assertEquals(SourceFreshness.Source.HTTP, freshness.source());
    assertTrue(freshness.isFresh());
    server.reservations("/ws/pay", List.of());
    await(() -> holders("pay/a/b.go").isEmpty());
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void thousandsAreReadPageByPage(Dialect dialect) throws Exception {
    start(dialect, "/ws");
    List<ObjectNode> many = new ArrayList<>();
    for (int i = 0; i < 1_001; i++) {
      many.add(FakeAgentMail.reservation(i, "Blue", "src/f" + i, true));
    }
    server.reservations("/ws", many);
    source.start();
    await(() -> holders("src/f1000").equals(List.of("Blue")));
    assertEquals(1_001, source.view().files());
  }

  @Test
  void aServerThatRefusesPagesIsAskedWithout() throws Exception {
    start(Dialect.PYTHON, "/ws");
    server.refusePages();
    server.reservations("/ws", List.of(FakeAgentMail.reservation(1, "Blue", "f", true)));
    source.start();
    await(() -> holders("f").equals(List.of("Blue")));
  }

  /** Who holds what is not forgotten because nobody answers; that it may be over is said. */
  @Test
  void aServerThatIsAwayLeavesWhatWasKnownAndThatIsNotFreshForEver() throws Exception {
    start(Dialect.RUST, "/ws");
    server.reservations("/ws", List.of(FakeAgentMail.reservation(1, "Blue", "f", true)));
    source.start();
    await(() -> holders("f").equals(List.of("Blue")));
    server.trouble(Trouble.HTTP_500);
    await(() -> !source.view().lastError().isEmpty());
    long goodNs = source.view().goodNs();
    Thread.sleep(200);
    assertEquals(List.of("Blue"), holders("f"));
    assertEquals(goodNs, source.view().goodNs(), "nothing was looked at since");
    assertEquals(goodNs, told.goodNs(), "who enforces it is told as well");
    server.trouble(Trouble.NONE);
    await(() -> source.view().lastError().isEmpty() && source.view().goodNs() > goodNs);
  }

  @Test
  void aSourceThatHasNeverAnsweredIsNotFresh() throws Exception {
    start(Dialect.RUST, "/ws");
    server.trouble(Trouble.HTML);
    source.start();
    await(() -> !source.view().lastError().isEmpty());
    SourceFreshness freshness = source.freshness(source.view());
    assertFalse(freshness.isFresh());
    assertEquals(-1, freshness.ageNs());
  }

  private void start(Dialect dialect, String... projects) throws IOException {
    server = FakeAgentMail.start(dialect);
    AgentMailOptions options =
        new AgentMailOptions(server.url(), "", false, List.of(projects), List.of("/ws"));
    client = new AgentMailClient(options);
    source = new HttpReservations(options, client, Clock.SYSTEM, 20, view -> told = view);
  }

  private List<String> holders(String path) {
    return told.table().covering(path, false, Clock.SYSTEM.epochNs()).stream()
        .map(held -> held.holder().agent())
        .toList();
  }

  private static void await(BooleanSupplier what) throws InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (!what.getAsBoolean()) {
      assertTrue(System.nanoTime() < endNs, "it did not come about");
      Thread.sleep(5);
    }
  }
}

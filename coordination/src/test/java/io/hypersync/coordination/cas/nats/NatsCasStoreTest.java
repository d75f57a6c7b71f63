package io.hypersync.coordination.cas.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.fixtures.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.KeyValueConfiguration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every store promises, by a real NATS server; and what is said when there is none. */
@SuppressWarnings("try") // closing a connection can be interrupted
class NatsCasStoreTest {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final String KEY = "leader.team";

  @TempDir private Path folder;

  private static NatsCasStore store(String server, boolean createBucket) {
    return new NatsCasStore(
        new NatsOptions(List.of(server), "locks", Optional.empty(), createBucket, LIMIT));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void oneOfTwoCreatesAndUpdatesNameTheRevision() throws Exception {
    try (NatsServer server = NatsServer.start(folder);
        NatsCasStore store = store(server.url(), true)) {
      assertTrue(store.read(KEY).isEmpty());
      long first = store.create(KEY, bytes("a")).orElseThrow();
      assertTrue(store.create(KEY, bytes("b")).isEmpty());
      long second = store.update(KEY, bytes("c"), first).orElseThrow();
      assertTrue(second > first);
      assertTrue(store.update(KEY, bytes("d"), first).isEmpty());
      CasRecord record = store.read(KEY).orElseThrow();
      assertArrayEquals(bytes("c"), record.value());
      assertEquals(second, record.revision());
      long emptied = store.update(KEY, new byte[0], second).orElseThrow();
      assertEquals(0, store.read(KEY).orElseThrow().value().length);
      assertTrue(store.update("another", bytes("x"), emptied).isEmpty());
    }
  }

  @Test
  void aRemovedRecordIsNoneAndItsRevisionsGrowOn() throws Exception {
    try (NatsServer server = NatsServer.start(folder);
        NatsCasStore store = store(server.url(), true)) {
      store.read(KEY);
      long first = store.create(KEY, bytes("a")).orElseThrow();
      try (Connection other = Nats.connect(server.url())) {
        other.keyValue("locks").delete(KEY);
      }
      assertTrue(store.read(KEY).isEmpty());
      assertTrue(store.update(KEY, bytes("b"), first).isEmpty());
      assertTrue(store.create(KEY, bytes("c")).orElseThrow() > first);
    }
  }

  @Test
  void ofEightWritersOfOneRevisionOneSucceeds() throws Exception {
    try (NatsServer server = NatsServer.start(folder);
        NatsCasStore store = store(server.url(), true);
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      store.read(KEY);
      long revision = store.create(KEY, bytes("0")).orElseThrow();
      for (int round = 0; round < 20; round++) {
        long old = revision;
        Callable<Optional<Long>> write = () -> store.update(KEY, bytes("x"), old);
        List<Long> written =
            threads.invokeAll(Collections.nCopies(8, write)).stream()
                .map(Future::resultNow)
                .flatMap(Optional::stream)
                .toList();
        assertEquals(1, written.size());
        revision = written.getFirst();
      }
    }
  }

  @Test
  void whatWasAcknowledgedIsThereWhenTheServerWasKilled() throws Exception {
    try (NatsServer server = NatsServer.start(folder);
        NatsCasStore store = store(server.url(), true)) {
      store.read(KEY);
      long revision = store.create(KEY, bytes("a")).orElseThrow();
      server.kill();
      CasException failure = assertThrows(CasException.class, () -> store.read(KEY));
      assertTrue(failure.getMessage().contains("NATS server"), failure::getMessage);
      server.again();
      Optional<CasRecord> record = Optional.empty();
      for (int i = 0; i < 100 && record.isEmpty(); i++) {
        try {
          record = store.read(KEY);
        } catch (CasException notYet) {
          Thread.sleep(50);
        }
      }
      assertEquals(revision, record.orElseThrow().revision());
    }
  }

  @Test
  void nobodyListens() throws Exception {
    int port;
    try (NatsServer server = NatsServer.start(folder)) {
      port = server.port();
    }
    try (NatsCasStore store = store("nats://127.0.0.1:" + port, true)) {
      CasException failure = assertThrows(CasException.class, () -> store.read(KEY));
      assertEquals(
          "no NATS server can be reached at nats://127.0.0.1:" + port, failure.getMessage());
      assertThrows(CasException.class, () -> store.create(KEY, bytes("a")));
    }
  }

  @Test
  void aServerWithoutJetStream() throws Exception {
    try (NatsServer server = NatsServer.start(folder, List.of());
        NatsCasStore store = store(server.url(), true)) {
      CasException failure = assertThrows(CasException.class, () -> store.read(KEY));
      assertTrue(failure.getMessage().contains("has no JetStream"), failure::getMessage);
      assertTrue(failure.hint().contains("-js"), failure::hint);
    }
  }

  @Test
  void wrongCredentialsAreSaidAndNotShown() throws Exception {
    try (NatsServer server =
            NatsServer.start(folder, List.of("-js", "--user", "hs", "--pass", "right"));
        NatsCasStore wrong = store(server.url().replace("//", "//hs:secret@"), true);
        NatsCasStore right = store(server.url().replace("//", "//hs:right@"), true)) {
      CasException failure = assertThrows(CasException.class, () -> wrong.read(KEY));
      assertTrue(
          failure.getMessage().contains("does not accept the credentials"), failure::getMessage);
      assertFalse(failure.getMessage().contains("secret"));
      assertTrue(right.read(KEY).isEmpty());
    }
  }

  @Test
  void aBucketThatIsRemovedIsSaidAndMadeAgainOnlyIfThatIsWanted() throws Exception {
    try (NatsServer server = NatsServer.start(folder);
        NatsCasStore maker = store(server.url(), true);
        NatsCasStore user = store(server.url(), false)) {
      CasException missing = assertThrows(CasException.class, () -> user.read(KEY));
      assertTrue(missing.getMessage().startsWith("there is no bucket locks"), missing::getMessage);
      assertTrue(missing.hint().contains("--create-bucket"), missing::hint);
      maker.read(KEY);
      long revision = user.create(KEY, bytes("a")).orElseThrow();
      try (Connection other = Nats.connect(server.url())) {
        other.keyValueManagement().delete("locks");
      }
      assertThrows(CasException.class, () -> user.update(KEY, bytes("b"), revision));
      assertThrows(CasException.class, () -> user.read(KEY));
      assertTrue(maker.read(KEY).isEmpty());
      assertTrue(user.read(KEY).isEmpty());
    }
  }

  @Test
  void aRecordOfAnotherProgramThatIsTooLargeIsNotRead() throws Exception {
    try (NatsServer server = NatsServer.start(folder);
        NatsCasStore store = store(server.url(), false);
        Connection other = Nats.connect(server.url())) {
      other.keyValueManagement().create(KeyValueConfiguration.builder("locks").build());
      other.keyValue("locks").put(KEY, new byte[5_000]);
      CasException failure = assertThrows(CasException.class, () -> store.read(KEY));
      assertTrue(failure.getMessage().contains("5000 bytes"), failure::getMessage);
    }
  }

  @Test
  void namesThatNatsDoesNotHave() {
    assertFalse(NatsCasStore.isKey("a b"));
    assertFalse(NatsCasStore.isKey("a.*"));
    assertFalse(NatsCasStore.isKey(".a"));
    assertTrue(NatsCasStore.isKey("a.b-c_d"));
    NatsOptions options =
        new NatsOptions(List.of("nats://x"), "lo.cks", Optional.empty(), false, LIMIT);
    assertThrows(IllegalArgumentException.class, () -> new NatsCasStore(options));
  }
}

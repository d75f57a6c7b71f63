package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.worker.daemon.inotify.ShadowMain;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * inotify on one mount reports what processes do through another mount (docs/inotify.md). The cases
 * are in {@code inotify/cases.py}.
 */
@RealMounts
class InotifyTest {
  static final List<String> SETTINGS =
      List.of("hypersync.worker.leader_timeout=15s", "hypersync.worker.inotify=true");

  private static TestCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = TestCluster.start(SETTINGS, "a", "b");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"names", "moves", "contents", "itself", "follow", "masks", "fast", "late"})
  void holds(String name) throws Exception {
    long before = cluster.worker("b").status().at("/inotify/shadow_calls").asLong();
    try {
      run(cluster, name);
    } catch (AssertionError failure) {
      System.err.println(cluster.worker("b").status().path("inotify") + "\n" + cluster.logs());
      throw failure;
    }
    cluster.assertSameRoots("a", "b");
    JsonNode counters = cluster.worker("b").status().path("inotify");
    assertEquals(0, counters.path("dropped").asLong(), counters::toString);
    assertEquals(0, counters.path("given_up").asLong(), counters::toString);
    assertTrue(counters.path("shadow_calls").asLong() > before, counters::toString);
  }

  static void run(TestCluster cluster, String name) throws Exception {
    Shell.must(
        cluster.root(),
        "python3",
        "-B",
        script(),
        name,
        cluster.mount("a").toString(),
        cluster.mount("b").toString());
  }

  /** The command lines of shadow processes of this workspace. */
  static List<String> shadows(TestCluster cluster) throws IOException, InterruptedException {
    return Shell.must(cluster.root(), "ps", "-eo", "args")
        .lines()
        .filter(line -> line.contains(ShadowMain.class.getName()))
        .filter(line -> line.contains(cluster.root().toString()))
        .toList();
  }

  static String script() throws URISyntaxException {
    URL found = Objects.requireNonNull(InotifyTest.class.getResource("/inotify/cases.py"));
    return Path.of(found.toURI()).toString();
  }
}

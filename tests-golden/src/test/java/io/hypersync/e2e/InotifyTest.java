package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
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

  private static Fabric fabric;

  @BeforeAll
  static void start() throws Exception {
    fabric = Fabric.start(SETTINGS, "a", "b");
  }

  @AfterAll
  static void stop() throws Exception {
    fabric.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"names", "moves", "contents", "itself", "follow", "masks", "fast", "late"})
  void holds(String name) throws Exception {
    long before = fabric.worker("b").status().at("/inotify/shadow_calls").asLong();
    try {
      run(fabric, name);
    } catch (AssertionError failure) {
      System.err.println(fabric.worker("b").status().path("inotify") + "\n" + fabric.logs());
      throw failure;
    }
    fabric.assertSameRoots("a", "b");
    JsonNode counters = fabric.worker("b").status().path("inotify");
    assertEquals(0, counters.path("dropped").asLong(), counters::toString);
    assertEquals(0, counters.path("given_up").asLong(), counters::toString);
    assertTrue(counters.path("shadow_calls").asLong() > before, counters::toString);
  }

  static void run(Fabric fabric, String name) throws Exception {
    Shell.must(
        fabric.root(),
        "python3",
        "-B",
        script(),
        name,
        fabric.mount("a").toString(),
        fabric.mount("b").toString());
  }

  /** The command lines of shadow processes of this workspace. */
  static List<String> shadows(Fabric fabric) throws IOException, InterruptedException {
    return Shell.must(fabric.root(), "ps", "-eo", "args")
        .lines()
        .filter(line -> line.contains(ShadowMain.class.getName()))
        .filter(line -> line.contains(fabric.root().toString()))
        .toList();
  }

  static String script() throws URISyntaxException {
    URL found = Objects.requireNonNull(InotifyTest.class.getResource("/inotify/cases.py"));
    return Path.of(found.toURI()).toString();
  }
}

package io.hypersync.e2e.operation;

import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fatal signal ends a call that has not been sent to the leader yet; a signal with a handler
 * interrupts no call (hypersync.md 6.4). The cases are in {@code posix/signals.py}.
 */
@RealMounts
class SignalsTest {
  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.mended(TestCluster.PATIENT);

  @ParameterizedTest
  @ValueSource(strings = {"handled", "ended", "ended_later", "sent"})
  void holds(String name) throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path folder = Files.createDirectory(cluster.mount("a").resolve("signals"));
    String leader = Long.toString(cluster.leader().pid());
    Shell.must(folder, "python3", script(), name, leader);
    // The leader was stopped for so long that it may have closed the workers' sessions.
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    cluster.assertSameRoots("a", "b");
  }

  private static String script() throws URISyntaxException {
    URL found = Objects.requireNonNull(SignalsTest.class.getResource("/posix/signals.py"));
    return Path.of(found.toURI()).toString();
  }
}

package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * POSIX and Linux semantics of calls that the JDK lacks or exposes only in part, tested through
 * real system calls. The cases are in {@code posix/cases.py}.
 */
@RealMounts
class PosixCasesTest {
  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  static Stream<String> cases() throws Exception {
    return Shell.must(Path.of("."), "python3", script()).lines();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void holds(String name) throws Exception {
    Path folder = Files.createTempDirectory(CLUSTER.mount("a"), "posix-");
    long direct = directOpens();
    Path other = CLUSTER.mount("b").resolve(folder.getFileName());
    Await.until(other + " is there", () -> Files.isDirectory(other));
    Shell.must(folder, "python3", script(), name, other.toString());
    CLUSTER.get().assertSameRoots("a", "b");
    assertEquals(name.equals("o_direct_is_ignored") ? 2 : 0, directOpens() - direct, "O_DIRECT");
  }

  private static long directOpens() throws Exception {
    return CLUSTER.get().worker("a").status().path("o_direct_opens").asLong();
  }

  private static String script() throws URISyntaxException {
    URL found = Objects.requireNonNull(PosixCasesTest.class.getResource("/posix/cases.py"));
    return Path.of(found.toURI()).toString();
  }
}

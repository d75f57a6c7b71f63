package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * JUnit extension that provides a running workspace with the workers a and b. When a test fails,
 * the ends of the daemons' logs are printed.
 *
 * <p>Registered in a static field, the workspace is shared by all classes that do so, which saves
 * most of the time: such tests must leave the daemons alone, and use files of their own. {@link
 * #ofOneClass} is for those that also count what daemons have done, or who uses a mount. {@link
 * #mended} is for those that kill, stop and freeze daemons. Registered in an instance field, it is
 * new for each test, which may do anything with it.
 */
public final class TestClusterExtension
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterTestExecutionCallback,
        AfterEachCallback {
  private static final String[] WORKERS = {"a", "b"};

  /** POSIX tests need devices and set-user-id programs, which mounts refuse by default. */
  private static final List<String> TRUSTING =
      Stream.concat(
              TestCluster.PATIENT.stream(),
              Stream.of("hypersync.worker.suid=true", "hypersync.worker.dev=true"))
          .toList();

  /** The worker b is mounted through libfuse 2. */
  private static final Map<String, List<String>> JNR_ON_B = Map.of("b", List.of(TestCluster.JNR));

  private final List<String> workerSettings;
  private final Map<String, List<String>> own;
  private final boolean ofOneClass;

  /** The leader's arguments if the workspace is mended between tests; else null. */
  private final String @Nullable [] mendedWith;

  private @Nullable TestCluster cluster;
  private boolean isStatic;

  private boolean hasFailed;

  /** Creates an extension whose workers are {@link TestCluster#PATIENT}. */
  public TestClusterExtension() {
    this(TestCluster.PATIENT);
  }

  /** Creates an extension for an instance field, whose workers have these settings. */
  public TestClusterExtension(List<String> workerSettings) {
    this(workerSettings, Map.of(), false, null);
  }

  private TestClusterExtension(
      List<String> workerSettings,
      Map<String, List<String>> own,
      boolean ofOneClass,
      String @Nullable [] mendedWith) {
    this.workerSettings = workerSettings;
    this.own = own;
    this.ofOneClass = ofOneClass;
    this.mendedWith = mendedWith;
  }

  /** Creates an extension for a static field, whose workspace no other class uses. */
  public static TestClusterExtension ofOneClass() {
    return new TestClusterExtension(TRUSTING, Map.of(), true, null);
  }

  /**
   * The same, for tests that end daemons: before each test, those that run no more are started
   * again, and what the test before has made is removed ({@link TestCluster#mend}). A start of
   * everything takes three times as long. After a test that has failed everything is new. What
   * daemons count goes on from test to test.
   *
   * @param workerSettings as for {@code --set}
   * @param leader arguments of the leader
   */
  public static TestClusterExtension mended(List<String> workerSettings, String... leader) {
    return new TestClusterExtension(workerSettings, Map.of(), true, leader.clone());
  }

  /**
   * The same, whose worker a is mounted as usual and b through libfuse 2, which must be installed
   * (Debian: libfuse2).
   */
  public static TestClusterExtension withJnrMount() {
    return new TestClusterExtension(TRUSTING, JNR_ON_B, true, null);
  }

  /**
   * The shared workspace. JUnit closes it after all tests of this JVM: it belongs to the session,
   * because Surefire begins an execution for each class when it runs more than one JVM.
   */
  private static final class Shared implements AutoCloseable {
    private @Nullable TestCluster cluster;

    /** The shared workspace, replaced by a new one if a failed test has left it in a bad state. */
    synchronized TestCluster healthy() throws Exception {
      if (cluster != null && !cluster.isHealthy(WORKERS)) {
        cluster.close();
        cluster = null;
      }
      if (cluster == null) {
        cluster = TestCluster.start(TRUSTING, WORKERS);
      }
      return cluster;
    }

    @Override
    public synchronized void close() throws IOException {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  /** The workspace of the running test. */
  public TestCluster get() {
    if (cluster == null) {
      throw new IllegalStateException("no test runs");
    }
    return cluster;
  }

  public Path mount(String worker) {
    return get().mount(worker);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    isStatic = true;
    if (mendedWith != null) {
      return; // before the first test
    }
    if (ofOneClass) {
      cluster = TestCluster.start(workerSettings, own, Map.of(), WORKERS);
      return;
    }
    cluster =
        context
            .getStore(
                ExtensionContext.StoreScope.LAUNCHER_SESSION,
                ExtensionContext.Namespace.create(TestClusterExtension.class))
            .computeIfAbsent(Shared.class, _ -> new Shared(), Shared.class)
            .healthy();
  }

  /**
   * Checks the invariants here, because a failure when the shared workspace is finally closed would
   * not be reported.
   */
  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (ofOneClass) {
      if (cluster != null) {
        cluster.close();
      }
    } else if (isStatic) {
      get().assertInvariantsHold();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    if (!isStatic) {
      cluster = TestCluster.start(workerSettings, own, Map.of(), WORKERS);
    } else if (mendedWith != null) {
      mend(mendedWith);
    }
  }

  private void mend(String[] leader) throws Exception {
    if (cluster != null && (hasFailed || !isMended(cluster, leader))) {
      TestCluster bad = cluster;
      cluster = null;
      bad.close();
    }
    if (cluster == null) {
      cluster = TestCluster.start(workerSettings, own, Map.of(), leader, WORKERS);
    }
    hasFailed = false;
  }

  /** Whether the workspace is as a new one; what keeps it from that is printed. */
  private static boolean isMended(TestCluster used, String[] leader) throws Exception {
    try {
      used.mend(leader, WORKERS);
      return true;
    } catch (AssertionError | IOException e) {
      System.err.println("the next test gets a new workspace: " + e);
      return false;
    }
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    hasFailed = context.getExecutionException().isPresent();
    if (hasFailed) {
      System.err.println("after the failure of " + context.getDisplayName() + ":\n" + get().logs());
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    if (!isStatic) {
      get().close();
    } else if (mendedWith != null) {
      hasFailed |= context.getExecutionException().isPresent(); // also in the test's preparation
      if (!hasFailed) {
        get().assertInvariantsHold();
      }
    }
  }
}

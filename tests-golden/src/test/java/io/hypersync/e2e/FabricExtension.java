package io.hypersync.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A running workspace with the workers a and b. When a test fails, the ends of the daemons' logs
 * are printed.
 *
 * <p>Registered as a static field it is shared by all classes that do so, which saves most of the
 * time: such tests hurt no daemon, and keep to files of their own. Registered as an instance field
 * it is new for each test, which may do with it what it likes.
 */
final class FabricExtension
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterTestExecutionCallback,
        AfterEachCallback {
  private static final String[] WORKERS = {"a", "b"};

  /** POSIX has devices and set-user-id programs, which mounts refuse unless they are told to. */
  private static final List<String> TRUSTING =
      Stream.concat(
              Fabric.PATIENT.stream(),
              Stream.of("hypersync.worker.suid=true", "hypersync.worker.dev=true"))
          .toList();

  private final List<String> workerSettings;
  private @Nullable Fabric fabric;
  private boolean shared;

  /** With workers that are {@link Fabric#PATIENT}. */
  FabricExtension() {
    this(Fabric.PATIENT);
  }

  /** For an instance field: with workers that have these settings. */
  FabricExtension(List<String> workerSettings) {
    this.workerSettings = workerSettings;
  }

  /** The one that lasts as long as the tests do. */
  private static final class Shared implements AutoCloseable {
    private @Nullable Fabric fabric;

    /** It, or another one if a test that failed has left it in a bad state. */
    synchronized Fabric healthy() throws Exception {
      if (fabric != null && !fabric.isHealthy(WORKERS)) {
        fabric.close();
        fabric = null;
      }
      if (fabric == null) {
        fabric = Fabric.start(TRUSTING, WORKERS);
      }
      return fabric;
    }

    @Override
    public synchronized void close() throws IOException {
      if (fabric != null) {
        fabric.close();
      }
    }
  }

  /** The workspace of the test that runs. */
  Fabric get() {
    if (fabric == null) {
      throw new IllegalStateException("no test runs");
    }
    return fabric;
  }

  Path mount(String worker) {
    return get().mount(worker);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    shared = true;
    fabric =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(FabricExtension.class))
            .computeIfAbsent(Shared.class, _ -> new Shared(), Shared.class)
            .healthy();
  }

  /** The last one of all closes it, which nobody would be told of. */
  @Override
  public void afterAll(ExtensionContext context) {
    if (shared) {
      get().assertInvariantsHold();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    if (!shared) {
      fabric = Fabric.start(workerSettings, WORKERS);
    }
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      System.err.println("after the failure of " + context.getDisplayName() + ":\n" + get().logs());
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    if (!shared) {
      get().close();
    }
  }
}

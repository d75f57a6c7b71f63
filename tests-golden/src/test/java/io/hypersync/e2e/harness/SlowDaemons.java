package io.hypersync.e2e.harness;

import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** When a test ends by its timeout, prints what the threads of all daemons are doing. */
final class SlowDaemons implements AfterTestExecutionCallback {
  @Override
  public void afterTestExecution(ExtensionContext context) throws InterruptedException {
    if (context.getExecutionException().orElse(null) instanceof TimeoutException) {
      System.err.println(
          context.getDisplayName() + " takes too long; meanwhile:\n" + DaemonJvm.threadsOfAll());
    }
  }
}

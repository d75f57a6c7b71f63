package io.hypersync.coordination.daemon;

import io.hypersync.coordination.process.ProcessGroup;
import io.hypersync.coordination.putex.Outcome;
import io.hypersync.coordination.putex.Step;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the health check, for a bounded time. One thread runs it; any other may {@link #end} it. */
final class HealthCheck {
  private static final Logger LOG = LoggerFactory.getLogger(HealthCheck.class);

  /** How much longer than the limit is waited for a process that was killed at its limit. */
  private static final long GRACE_NS = 200_000_000L;

  private static final File NOTHING = new File("/dev/null");
  private static final Duration OUTPUT_GRACE = Duration.ofMillis(20);

  private final String script;
  private final Map<String, String> environment;
  private volatile @Nullable Process running;
  private volatile boolean isToEnd;

  HealthCheck(String script, Map<String, String> environment) {
    this.script = script;
    this.environment = environment;
  }

  Outcome run(Step.Check check) throws InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    "timeout",
                    "--signal=KILL",
                    Seconds.of(check.limitNs()),
                    "bash",
                    "-c",
                    script,
                    "putex-check",
                    check.active() ? "active" : "standby"))
            .redirectInput(ProcessBuilder.Redirect.from(NOTHING))
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    long begun = System.nanoTime();
    Process process;
    try {
      process = builder.start();
    } catch (IOException failure) {
      return new Outcome.Failed("the health check cannot be run: " + failure.getMessage());
    }
    running = process;
    try {
      if (isToEnd) {
        ProcessGroup.signalKill(process);
      }
      Chatter output = new Chatter(process.getInputStream(), "putex-check-output");
      boolean hasEnded = process.waitFor(check.limitNs() + GRACE_NS, TimeUnit.NANOSECONDS);
      if (!hasEnded || System.nanoTime() - begun >= check.limitNs()) {
        return new Outcome.Failed(
            "the health check took longer than " + check.limitNs() / 1_000_000 + " ms");
      }
      if (process.exitValue() == 0) {
        return new Outcome.Passed();
      }
      Thread.sleep(OUTPUT_GRACE);
      return new Outcome.Failed(
          Failures.told("the health check", process.exitValue(), output.take()));
    } finally {
      running = null;
      boolean wasKilled = process.isAlive() || process.exitValue() == Failures.KILLED;
      if (wasKilled && !ProcessGroup.kill(process, GRACE_NS)) {
        LOG.warn("the health check was killed, but something that it has started still runs");
      }
    }
  }

  /** Ends a check that runs, and each one that is run from now on. It has failed then. */
  void end() {
    isToEnd = true;
    Process process = running;
    if (process != null) {
      ProcessGroup.signalKill(process);
    }
  }
}

package io.hypersync.cli.simulate;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.cli.command.ExtraCommand;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.SeedSweep;
import io.hypersync.sim.SeedSweepLimits;
import io.hypersync.sim.SeedSweepReport;
import io.hypersync.sim.SimulationFailure;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hypersync simulate} (hypersync.md 22). */
@Command(
    name = "simulate",
    description = {
      "Look for bugs: run the code of a leader and two workers in simulated histories, with random"
          + " calls and random faults, and check after every step that no promise is broken.",
      "A history is made of its seed alone. One in which something is wrong is told with its last"
          + " events and the command that runs it again; the exit code is 1 then."
          + " Ctrl-C ends the hunt and shows how far it got."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync simulate                            # a minute",
      "  ./hypersync simulate --minutes 60",
      "  ./hypersync simulate --seeds 10000 --json",
      "  ./hypersync simulate --seed 4711 --seeds 1      # this history again"
    })
public final class SimulateCommand implements ExtraCommand {
  private static final double NS_PER_MINUTE = 60e9;
  private static final long BAR_NS = 200_000_000;
  private static final long LINE_NS = 10_000_000_000L;
  private static final long SUMMARY_LIMIT_S = 20;

  /** First seeds are below this, so that they are short enough to be read and typed. */
  private static final long SEEDS = 1L << 40;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--seeds",
      paramLabel = "<n>",
      description = "How many histories (default: as many as there is time for).")
  private @Nullable Long seeds;

  @Option(
      names = "--minutes",
      paramLabel = "<n>",
      description = "How long (default: one minute, or until all the seeds are through).")
  private @Nullable Double minutes;

  @Option(
      names = "--seed",
      paramLabel = "<seed>",
      description = "The first seed; the ones after it follow (default: one that is new).")
  private @Nullable Long seed;

  @Option(
      names = "--steps",
      paramLabel = "<n>",
      defaultValue = "1000",
      description =
          "How many events a history has before its faults end (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--threads",
      paramLabel = "<n>",
      description = "How many histories run at the same time (default: one for each CPU).")
  private @Nullable Integer threads;

  @Option(
      names = "--failures",
      paramLabel = "<n>",
      defaultValue = "1",
      description = "After how many bad histories to stop (default: ${DEFAULT-VALUE}).")
  private int failures;

  @Option(names = "--json", description = "Write JSON, as docs/json.md describes it.")
  private boolean json;

  /** For the service loader. */
  public SimulateCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    SeedSweepLimits limits = limits();
    Level before = silenceTheAgents();
    CountDownLatch told = new CountDownLatch(1);
    try {
      SeedSweep sweep = SeedSweep.start(limits);
      Thread interrupted = new Thread(() -> stop(sweep, told), "simulate-summary");
      Runtime.getRuntime().addShutdownHook(interrupted);
      SeedSweepReport report = follow(sweep);
      show(report);
      told.countDown();
      forget(interrupted);
      return report.failures().isEmpty() ? 0 : 1;
    } finally {
      told.countDown();
      agents().setLevel(before);
    }
  }

  /** Shows progress, and each failure as soon as it is found, until the seed sweep has ended. */
  private SeedSweepReport follow(SeedSweep sweep) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Progress progress = new Progress(err, Terminal.isStandardError());
    int shown = 0;
    boolean over = false;
    while (!over) {
      over = sweep.await(progress.isBar() ? BAR_NS : LINE_NS);
      SeedSweepReport report = sweep.report();
      for (SimulationFailure failure : report.failures().subList(shown, report.failures().size())) {
        progress.clear();
        (json ? err : out).println(failure.getMessage());
        (json ? err : out).flush();
      }
      shown = report.failures().size();
      if (over) {
        progress.clear();
      } else {
        progress.show(report);
      }
    }
    return sweep.report();
  }

  private void show(SeedSweepReport report) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        json ? SimulateReport.tree(report).toPrettyString() + "\n" : SimulateReport.text(report));
    out.flush();
  }

  /**
   * Shutdown hook for Ctrl-C: stops the seed sweep, and delays the exit of the JVM until the main
   * thread has printed the summary.
   */
  private static void stop(SeedSweep sweep, CountDownLatch told) {
    sweep.stop();
    try {
      boolean _ = told.await(SUMMARY_LIMIT_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void forget(Thread hook) {
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, so the hook is running already.
    }
  }

  private SeedSweepLimits limits() {
    long wanted = seeds == null ? Long.MAX_VALUE : seeds;
    double time = minutes != null ? minutes : seeds == null ? 1 : Double.POSITIVE_INFINITY;
    int parallel = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    requireAtLeastOne("--seeds", wanted);
    requireAtLeastOne("--steps", steps);
    requireAtLeastOne("--threads", parallel);
    requireAtLeastOne("--failures", failures);
    if (!(time > 0)) {
      throw new UserError("--minutes must be more than 0", "", UserError.USAGE);
    }
    long first = seed == null ? ThreadLocalRandom.current().nextLong(SEEDS) : seed;
    return new SeedSweepLimits(
        first, wanted, steps, (long) (time * NS_PER_MINUTE), parallel, failures);
  }

  private static void requireAtLeastOne(String option, long value) {
    if (value < 1) {
      throw new UserError(option + " must be at least 1", "", UserError.USAGE);
    }
  }

  /**
   * Turns logging off, because histories contain thousands of injected outages. Returns the former
   * level.
   */
  private static @Nullable Level silenceTheAgents() {
    Level before = agents().getLevel();
    agents().setLevel(Level.OFF);
    return before;
  }

  private static Logger agents() {
    return (Logger) LoggerFactory.getLogger("io.hypersync");
  }
}

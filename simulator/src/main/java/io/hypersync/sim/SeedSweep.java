package io.hypersync.sim;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs many histories on several threads, one seed after another; each history runs in one thread.
 * Histories share nothing, so each one gives the same result as if it ran alone.
 */
public final class SeedSweep {
  private final SeedSweepLimits limits;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final CountDownLatch running;
  private final long startedNs = System.nanoTime();
  private final List<SimulationFailure> failures = new ArrayList<>();
  private SeedSweepReport sum;
  private long begun;
  private boolean stopped;

  private SeedSweep(SeedSweepLimits limits) {
    this.limits = limits;
    this.running = new CountDownLatch(limits.threads());
    this.sum = new SeedSweepReport(limits, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), List.of(), 0, 0);
  }

  /** Starts the threads and returns at once. */
  public static SeedSweep start(SeedSweepLimits limits) {
    SeedSweep sweep = new SeedSweep(limits);
    for (int i = 0; i < limits.threads(); i++) {
      Thread.ofPlatform().name("history-" + i).daemon().start(sweep::run);
    }
    return sweep;
  }

  /** Begins no new history; those that are running continue to their end. */
  public synchronized void stop() {
    stopped = true;
  }

  /** Waits at most {@code ns} nanoseconds for all histories to end; returns whether they have. */
  public boolean await(long ns) throws InterruptedException {
    return running.await(ns, TimeUnit.NANOSECONDS);
  }

  /** The sums so far; may be called while histories are running. */
  public synchronized SeedSweepReport report() {
    return new SeedSweepReport(
        limits,
        sum.histories(),
        sum.steps(),
        sum.entries(),
        sum.committed(),
        sum.failed(),
        sum.unknown(),
        sum.locks(),
        sum.faults(),
        sum.reaped(),
        sum.explained(),
        sum.happened(),
        List.copyOf(failures),
        System.nanoTime() - startedNs,
        sum.cpuNs());
  }

  private void run() {
    try {
      long index = next();
      while (index >= 0) {
        long before = threads.getCurrentThreadCpuTime();
        SimulationOptions options =
            new SimulationOptions(limits.firstSeed() + index, limits.steps());
        try {
          SimulationReport report = Simulation.run(options);
          ended(report, threads.getCurrentThreadCpuTime() - before);
        } catch (SimulationFailure failure) {
          failed(failure);
        }
        index = next();
      }
    } finally {
      running.countDown();
    }
  }

  /** The index of the next history; -1 if no more are to be run. */
  private synchronized long next() {
    boolean enough =
        stopped
            || begun >= limits.seeds()
            || failures.size() >= limits.failures()
            || System.nanoTime() - startedNs >= limits.longestNs();
    return enough ? -1 : begun++;
  }

  private synchronized void failed(SimulationFailure failure) {
    failures.add(failure);
  }

  private synchronized void ended(SimulationReport report, long cpuNs) {
    Map<String, Long> happened = new TreeMap<>(sum.happened());
    report.happened().forEach((what, count) -> happened.merge(what, count, Long::sum));
    sum =
        new SeedSweepReport(
            limits,
            sum.histories() + 1,
            sum.steps() + report.steps(),
            sum.entries() + report.entries(),
            sum.committed() + report.committed(),
            sum.failed() + report.failed(),
            sum.unknown() + report.unknown(),
            sum.locks() + report.locks(),
            sum.faults() + report.faults(),
            sum.reaped() + report.reaped(),
            sum.explained() + report.explained(),
            happened,
            List.of(),
            0,
            sum.cpuNs() + cpuNs);
  }
}

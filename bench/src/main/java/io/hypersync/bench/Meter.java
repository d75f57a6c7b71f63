package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures one operation: platform threads repeat it and time each call. Threads start together. If
 * an operation uses up prepared files, all threads pause together to prepare more, and that time is
 * not counted.
 */
final class Meter {
  private static final long MAX_NS = 60_000_000_000L;
  private static final int DIGITS = 3;
  private static final double NS_PER_S = 1e9;
  private static final long JOIN_LIMIT_MS = 2_000;

  private final long warmUpNs;
  private final long measureNs;
  private final double perSecond;
  private volatile boolean stopped;
  private volatile List<Thread> running = List.of();

  /**
   * Creates a meter that runs at full speed.
   *
   * @param warmUpNs how long to run before anything is counted
   * @param measureNs how long to measure after that
   */
  Meter(long warmUpNs, long measureNs) {
    this(warmUpNs, measureNs, Double.POSITIVE_INFINITY);
  }

  /**
   * Creates a meter with a fixed rate.
   *
   * @param warmUpNs how long to run before anything is counted
   * @param measureNs how long to measure after that
   * @param perSecond operations per second of all threads together, evenly spaced; a thread that is
   *     late catches up
   */
  Meter(long warmUpNs, long measureNs, double perSecond) {
    this.warmUpNs = warmUpNs;
    this.measureNs = measureNs;
    this.perSecond = perSecond;
  }

  /**
   * Measures one operation.
   *
   * @throws IOException the first that an operation threw
   * @throws InterruptedException also if {@link #stop} was called
   */
  Sample measure(Operation operation, MeasuredFilesystem place, int threads)
      throws IOException, InterruptedException {
    Path folder = place.root().resolve(operation.key() + "-" + threads);
    Rounds rounds = new Rounds(threads, place.daemons());
    List<Worker> workers = new ArrayList<>();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Path own = folder.resolve("t" + i);
      Worker worker =
          new Worker(
              rounds,
              new Pace(NS_PER_S / perSecond * threads, (double) i / threads),
              () -> operation.in(new ThreadDirectory(own, place.needsSync())));
      workers.add(worker);
      started.add(Thread.ofPlatform().name("bench-" + i).daemon().unstarted(worker));
    }
    running = started;
    started.forEach(Thread::start);
    for (Thread thread : started) {
      thread.join();
    }
    if (stopped) {
      throw new InterruptedException("the measurement was stopped");
    }
    IOException failure = rounds.failure.get();
    if (failure != null) {
      throw failure;
    }
    Histogram all = new Histogram(MAX_NS, DIGITS);
    workers.forEach(worker -> all.add(worker.latencyNs));
    return new Sample(
        operation,
        place.kind(),
        threads,
        all.getTotalCount(),
        rounds.measuredNs,
        all.getValueAtPercentile(10),
        all.getValueAtPercentile(50),
        all.getValueAtPercentile(99),
        rounds.cpu);
  }

  /**
   * Stops the current measurement and prevents further ones; waits {@link #JOIN_LIMIT_MS} for each
   * thread.
   */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : running) {
      thread.join(JOIN_LIMIT_MS);
    }
  }

  @FunctionalInterface
  private interface Opening {
    Work open() throws IOException;
  }

  /**
   * When a thread starts its operations.
   *
   * @param intervalNs between two operations of the thread
   * @param share the thread's offset as a fraction of the interval, so that threads do not start at
   *     the same time
   */
  private record Pace(double intervalNs, double share) {
    long dueNs(long beganNs, int operation) {
      return beganNs + (long) ((operation + share) * intervalNs);
    }
  }

  /** Synchronizes the threads. Even phases end when a round begins, odd phases when it ends. */
  private final class Rounds extends Phaser {
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();

    /** These fields are written while all threads wait, and read after they were released. */
    private long warmedNs;

    private long measuredNs;
    private long beganNs;
    private long deadlineNs;
    private boolean counts;
    private DaemonCpu cpuBefore = DaemonCpu.NONE;
    private DaemonCpu cpu = DaemonCpu.NONE;
    private final Map<String, Long> daemons;

    Rounds(int threads, Map<String, Long> daemons) {
      super(threads);
      this.daemons = daemons;
    }

    @Override
    protected boolean onAdvance(int phase, int parties) {
      DaemonCpu taken = DaemonCpu.now(daemons);
      long now = System.nanoTime();
      if (phase % 2 == 0) {
        counts = warmedNs >= warmUpNs;
        cpuBefore = taken;
        beganNs = now;
        deadlineNs = now + (counts ? measureNs - measuredNs : warmUpNs - warmedNs);
      } else if (counts) {
        measuredNs += now - beganNs;
        cpu = cpu.plus(taken.since(cpuBefore));
      } else {
        warmedNs += now - beganNs;
      }
      return parties == 0 || stopped || failure.get() != null || measuredNs >= measureNs;
    }
  }

  private final class Worker implements Runnable {
    private final Histogram latencyNs = new Histogram(MAX_NS, DIGITS);
    private final Rounds rounds;
    private final Pace pace;
    private final Opening opening;

    Worker(Rounds rounds, Pace pace, Opening opening) {
      this.rounds = rounds;
      this.pace = pace;
      this.opening = opening;
    }

    @Override
    public void run() {
      try (Work work = opening.open()) {
        while (!rounds.isTerminated()) {
          int stock = work.stock();
          rounds.arriveAndAwaitAdvance();
          if (!rounds.isTerminated()) {
            round(work, stock);
            rounds.arriveAndAwaitAdvance();
          }
        }
      } catch (IOException e) {
        rounds.failure.compareAndSet(null, e);
      } catch (RuntimeException e) {
        rounds.failure.compareAndSet(null, new IOException("the measuring thread failed", e));
      } finally {
        // The other threads must not wait for one that has failed.
        rounds.arriveAndDeregister();
      }
    }

    private void round(Work work, int stock) throws IOException {
      long now = System.nanoTime();
      for (int i = 0; i < stock && now - rounds.deadlineNs < 0 && !stopped; i++) {
        long began = await(pace.dueNs(rounds.beganNs, i), now);
        work.run();
        now = System.nanoTime();
        if (rounds.counts) {
          latencyNs.recordValue(Math.min(now - began, MAX_NS));
        }
      }
    }

    /** Waits until {@code dueNs} or until the meter is stopped; returns the current time. */
    private long await(long dueNs, long fromNs) {
      long now = fromNs;
      while (now - dueNs < 0 && !stopped) {
        LockSupport.parkNanos(dueNs - now);
        now = System.nanoTime();
      }
      return now;
    }
  }
}

package io.hypersync.bench.micro;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of one commit among many at a complete leader, which syncs them to disk and streams them
 * to all workers over QUIC. The workers are simulated: they apply nothing.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 10, time = 2)
@Measurement(iterations = 5, time = 1)
public class LeaderBenchmark {
  private static final int COMMITS = 4_096;
  private static final int DIRECTORIES = 1_000;

  public LeaderBenchmark() {}

  /** A leader, and workers with directories of their own. */
  @State(Scope.Benchmark)
  public static class TestCluster {
    /** Number of workers. */
    @Param({"1", "8"})
    public int workers;

    private final List<SimulatedWorker> simulated = new ArrayList<>();
    private LocalWorkspace workspace;

    public TestCluster() {}

    @Setup
    public void start() {
      workspace = LocalWorkspace.start();
      for (int i = 0; i < workers; i++) {
        simulated.add(workspace.simulate());
      }
      simulated.forEach(worker -> worker.begin(DIRECTORIES));
    }

    @TearDown
    public void stop() {
      simulated.forEach(SimulatedWorker::close);
      workspace.close();
    }
  }

  /** One of 4,096 changes of attributes, which the workers share. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  @Reference("disk")
  public void commit(TestCluster cluster) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (SimulatedWorker worker : cluster.simulated) {
      all.add(worker.start(COMMITS / cluster.simulated.size()));
    }
    all.forEach(SimulatedWorker::await);
  }

  /** The floor of a commit: one durable overwrite. */
  @Benchmark
  public void disk(DiskFloor floor) throws IOException {
    floor.overwrite();
  }
}

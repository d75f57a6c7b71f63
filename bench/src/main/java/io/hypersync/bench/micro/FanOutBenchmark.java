package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

/** The cost of a commit that is replicated to 1 to 16 workers over QUIC, all in one process. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class FanOutBenchmark {
  private static final int COMMITS = 32;

  public FanOutBenchmark() {}

  /** A workspace that one worker changes and all replicate. */
  @State(Scope.Benchmark)
  public static class TestCluster {
    /** Number of workers, including the one that makes the changes. */
    @Param({"1", "2", "4", "8", "16"})
    public int workers;

    private final List<LocalWorkspace.Worker> others = new ArrayList<>();
    private LocalWorkspace workspace;
    private LocalWorkspace.Worker first;
    private Work rename;

    public TestCluster() {}

    @Setup
    public void start() throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      first = workspace.mount();
      for (int i = 1; i < workers; i++) {
        others.add(workspace.join());
      }
      rename = Operation.RENAME.plainlyIn(first.mount().resolve("bench"));
    }

    @TearDown
    public void stop() throws IOException {
      rename.close();
      workspace.close();
    }
  }

  /**
   * A rename until it is durable and all workers have applied it; by one thread, one after another.
   */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  @Reference("disk")
  public void commit(TestCluster cluster) throws IOException {
    for (int i = 0; i < COMMITS; i++) {
      cluster.rename.run();
    }
    long index = cluster.first.index();
    cluster.others.forEach(worker -> worker.await(index));
  }

  /** The floor of a commit: one durable overwrite. */
  @Benchmark
  public void disk(DiskFloor floor) throws IOException {
    floor.overwrite();
  }
}

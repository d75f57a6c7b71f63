package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import io.hypersync.cli.config.Settings;
import io.hypersync.worker.daemon.identity.ProcProcesses;
import io.hypersync.worker.identity.AgentCache;
import io.hypersync.worker.identity.AgentResolver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to know which agent makes a call. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AgentNamesBenchmark {
  public AgentNamesBenchmark() {}

  /** A thread of this process, which was looked at. */
  @State(Scope.Benchmark)
  public static class Looked {
    private int tid;
    private AgentCache cache;

    public Looked() {}

    /** Looks at the thread. */
    @Setup
    public void look() throws IOException {
      Path self = Path.of("/proc/thread-self").toRealPath().getFileName();
      tid = Integer.parseInt(self.toString());
      ProcProcesses processes = new ProcProcesses();
      cache = new AgentCache(processes, new AgentResolver(processes, "/nowhere"), 16);
      if (cache.look(tid, 0, 0) == null || cache.known(tid, 0) == null) {
        throw new IllegalStateException("this thread cannot be watched");
      }
    }

    @TearDown
    public void forget() {
      cache.close();
    }
  }

  /** A process that has a name, and that nobody has looked at. */
  @State(Scope.Benchmark)
  public static class Named {
    private final ProcProcesses processes = new ProcProcesses();
    private final AgentResolver resolver = new AgentResolver(processes, "/nowhere");
    private Process process;

    public Named() {}

    /** Starts the process. */
    @Setup
    public void start() throws IOException {
      ProcessBuilder builder = new ProcessBuilder("sleep", "3600");
      builder.environment().put("AGENT_NAME", "BlueLake");
      process = builder.start();
    }

    @TearDown
    public void end() {
      process.destroyForcibly();
    }

    String look() {
      AgentCache cache = new AgentCache(processes, resolver, 1);
      String name = cache.look((int) process.pid(), 0, 0);
      cache.close();
      return name;
    }
  }

  /** A mount whose worker looks who calls. */
  @State(Scope.Benchmark)
  public static class Identifying extends Mounted {
    public Identifying() {
      super(true);
    }
  }

  /** A mount whose worker does not look. */
  @State(Scope.Benchmark)
  public static class NotIdentifying extends Mounted {
    public NotIdentifying() {
      super(false);
    }
  }

  /** A file on a mount. */
  @State(Scope.Benchmark)
  public abstract static class Mounted {
    private final boolean identify;
    private LocalWorkspace workspace;
    private Work write;

    Mounted(boolean identify) {
      this.identify = identify;
    }

    @Setup
    public void mount() throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      write =
          Operation.WRITE.plainlyIn(
              workspace
                  .mount(Settings.WORKER_IDENTIFY_AGENTS.key() + "=" + identify)
                  .mount()
                  .resolve("bench"));
    }

    void write() throws IOException {
      write.run();
    }

    @TearDown
    public void unmount() throws IOException {
      write.close();
      workspace.close();
    }
  }

  /** What each call costs whose caller is known. */
  @Benchmark
  public @Nullable String known(Looked looked) {
    return looked.cache.known(looked.tid, 0);
  }

  /** What the thread that looks does for the first call of a process. */
  @Benchmark
  public String look(Named named) {
    return named.look();
  }

  /** Writes 4 KiB, with the caller's name. */
  @Benchmark
  @Reference("writeWithoutName")
  public void write(Identifying mounted) throws IOException {
    mounted.write();
  }

  /** Writes 4 KiB, without it. */
  @Benchmark
  public void writeWithoutName(NotIdentifying mounted) throws IOException {
    mounted.write();
  }
}

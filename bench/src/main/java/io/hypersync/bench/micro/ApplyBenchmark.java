package io.hypersync.bench.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A new worker catches up: it applies the log in order and fetches chunks ahead of that, over QUIC
 * (hypersync.md 12.3). Small payloads are in the entries, larger ones are fetched.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class ApplyBenchmark {
  /** Made by JMH. */
  public ApplyBenchmark() {}

  /** What the files are like. */
  @State(Scope.Benchmark)
  public static class Shape {
    /** How many. */
    @Param("2000")
    public int files;

    /** Of how many bytes each: in the entry, or fetched. */
    @Param({"1024", "65536"})
    public int bytes;

    private final Random random = new Random(1);

    /** Made by JMH. */
    public Shape() {}

    void write(Path folder) throws IOException {
      Files.createDirectories(folder);
      byte[] content = new byte[bytes];
      for (int i = 0; i < files; i++) {
        random.nextBytes(content);
        try (FileChannel file =
            FileChannel.open(
                folder.resolve("f" + i), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          file.write(ByteBuffer.wrap(content));
        }
      }
    }
  }

  /** A leader whose log has them. */
  @State(Scope.Benchmark)
  public static class Log {
    private LocalWorkspace workspace;
    private long index;

    /** Made by JMH. */
    public Log() {}

    /** Writes them through a mount. */
    @Setup
    public void write(Shape shape) throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      LocalWorkspace.Worker writer = workspace.mount();
      shape.write(writer.mount().resolve("files"));
      index = writer.index();
      workspace.leave(writer);
    }

    /** Removes everything. */
    @TearDown
    public void remove() {
      workspace.close();
    }
  }

  /** A worker of that log that has joined nothing; making and ending it is not measured. */
  @State(Scope.Benchmark)
  public static class Newcomer {
    private LocalWorkspace.Worker worker;

    /** Made by JMH. */
    public Newcomer() {}

    /** Makes its keys, token, store and transport. */
    @Setup(Level.Invocation)
    public void enrol(Log log) {
      worker = log.workspace.enrol();
    }

    /**
     * Ends it.
     *
     * @throws IllegalStateException if it has not got everything
     */
    @TearDown(Level.Invocation)
    public void leave(Log log) {
      long reached = worker.index();
      log.workspace.leave(worker);
      if (reached < log.index) {
        throw new IllegalStateException("joined at " + reached + " of " + log.index);
      }
    }
  }

  /** An empty folder on the disk. */
  @State(Scope.Benchmark)
  public static class Disk {
    private final List<Path> written = new ArrayList<>();
    private Scratch scratch;

    /** Made by JMH. */
    public Disk() {}

    /** Makes it. */
    @Setup
    public void make() {
      scratch = Scratch.create();
    }

    /** What others have written gets to the disk before, and not at the expense of this. */
    @Setup(Level.Invocation)
    public void calm() throws IOException, InterruptedException {
      new ProcessBuilder("sync").inheritIO().start().waitFor();
    }

    /** Removes it. */
    @TearDown
    public void remove() {
      scratch.close();
    }

    Path next() {
      Path folder = scratch.root().resolve("round-" + written.size());
      written.add(folder);
      return folder;
    }
  }

  /** Connects with nothing and returns with everything. */
  @Benchmark
  @Beside("files")
  public void catchUp(Newcomer newcomer) throws InterruptedException {
    newcomer.worker.join();
  }

  /** The reference: the same files written into a folder of the disk, not synced. */
  @Benchmark
  public void files(Disk disk, Shape shape) throws IOException {
    shape.write(disk.next());
  }
}

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
 * Catch-up of a new worker: it applies the log in order and fetches chunks ahead of the entries,
 * over QUIC (hypersync.md 12.3). Small payloads are inline in the entries, larger ones are fetched.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class ApplyBenchmark {
  public ApplyBenchmark() {}

  /** Number and size of the files. */
  @State(Scope.Benchmark)
  public static class Shape {
    /** Number of files. */
    @Param("2000")
    public int files;

    /** Bytes per file: inline in the entry, or fetched as a chunk. */
    @Param({"1024", "65536"})
    public int bytes;

    private final Random random = new Random(1);

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

  /** A leader whose log contains the files. */
  @State(Scope.Benchmark)
  public static class Log {
    private LocalWorkspace workspace;
    private long index;

    public Log() {}

    /** Writes the files through a mount. */
    @Setup
    public void write(Shape shape) throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      LocalWorkspace.Worker writer = workspace.mount();
      shape.write(writer.mount().resolve("files"));
      index = writer.index();
      workspace.leave(writer);
    }

    @TearDown
    public void remove() {
      workspace.close();
    }
  }

  /** An enrolled worker that has not joined; creating and closing it is not measured. */
  @State(Scope.Benchmark)
  public static class Newcomer {
    private LocalWorkspace.Worker worker;

    public Newcomer() {}

    /** Creates its keys, token, chunk store and transport. */
    @Setup(Level.Invocation)
    public void enrol(Log log) {
      worker = log.workspace.enrol();
    }

    /**
     * Closes the worker.
     *
     * @throws IllegalStateException if it has not applied the whole log
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

  /** An empty directory on the disk. */
  @State(Scope.Benchmark)
  public static class Disk {
    private final List<Path> written = new ArrayList<>();
    private Scratch scratch;

    public Disk() {}

    @Setup
    public void make() {
      scratch = Scratch.create();
    }

    /** Syncs before each measurement, so that pending writes of others do not slow it down. */
    @Setup(Level.Invocation)
    public void calm() throws IOException, InterruptedException {
      new ProcessBuilder("sync").inheritIO().start().waitFor();
    }

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

  /** Connects with an empty replica, and returns when the whole log is applied. */
  @Benchmark
  @Reference("files")
  public void catchUp(Newcomer newcomer) throws InterruptedException {
    newcomer.worker.join();
  }

  /** The reference: the same files written into a directory on the disk, without sync. */
  @Benchmark
  public void files(Disk disk, Shape shape) throws IOException {
    shape.write(disk.next());
  }
}

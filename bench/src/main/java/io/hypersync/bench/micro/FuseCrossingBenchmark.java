package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * The cost of reading through a mount: open, stat and readdir, with each policy for the kernel's
 * caches (hypersync.md 6.2, 6.8).
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FuseCrossingBenchmark {
  public FuseCrossingBenchmark() {}

  /** What a mount guarantees, and so what its kernel may cache. */
  public enum Policy {
    /** Names, attributes, pages and listings are cached until invalidated; open does not wait. */
    KEPT("hypersync.worker.strict_open=false"),
    /** The same, but every open passes the freshness barrier first; the default of a mount. */
    STRICT_OPEN("hypersync.worker.strict_open=true"),
    /** Nothing is cached: every TTL is 0. */
    NOTHING_KEPT("hypersync.worker.kernel_cache=false"),
    /** Nothing is cached, and every read asks the leader first. */
    STRICT_READS("hypersync.worker.strict_reads=true");

    private final String setting;

    Policy(String setting) {
      this.setting = setting;
    }

    /** Returns the worker's setting for this policy, as {@code KEY=VALUE}. */
    String setting() {
      return setting;
    }
  }

  /** A file, and a directory with 100 files. */
  static final class Tree {
    private static final int FILES = 100;

    private final Path directory;
    private final Path file;
    private final Work stat;

    Tree(Path root) throws IOException {
      directory = Files.createDirectories(root.resolve("directory"));
      for (int i = 0; i < FILES; i++) {
        Files.createFile(directory.resolve("file-" + i));
      }
      file = directory.resolve("file-0");
      stat = Operation.STAT.plainlyIn(root.resolve("stat"));
    }

    void open() throws IOException {
      FileChannel.open(file, StandardOpenOption.READ).close();
    }

    long list() throws IOException {
      try (Stream<Path> all = Files.list(directory)) {
        return all.count();
      }
    }
  }

  /** The tree on a mount. */
  @State(Scope.Benchmark)
  public static class Mounted {
    /** The policy of the mount. */
    @Param public Policy policy;

    private LocalWorkspace workspace;
    private Tree tree;

    public Mounted() {}

    /** Mounts a workspace and creates the tree in it. */
    @Setup
    public void mount() throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      tree = new Tree(workspace.mount(policy.setting).mount());
    }

    @TearDown
    public void unmount() throws IOException {
      tree.stat.close();
      workspace.close();
    }
  }

  /** The tree on the disk. */
  @State(Scope.Benchmark)
  public static class Disk {
    private Scratch scratch;
    private Tree tree;

    public Disk() {}

    @Setup
    public void make() throws IOException {
      scratch = Scratch.create();
      tree = new Tree(scratch.root());
    }

    @TearDown
    public void remove() throws IOException {
      tree.stat.close();
      scratch.close();
    }
  }

  /** Opens and closes a file. */
  @Benchmark
  @Reference("diskOpen")
  public void open(Mounted mounted) throws IOException {
    mounted.tree.open();
  }

  /** Reads a file's attributes. */
  @Benchmark
  @Reference("diskStat")
  public void stat(Mounted mounted) throws IOException {
    mounted.tree.stat.run();
  }

  /** Lists a directory of 100 files. */
  @Benchmark
  @Reference("diskReaddir")
  public long readdir(Mounted mounted) throws IOException {
    return mounted.tree.list();
  }

  /** Opens and closes a file on the disk. */
  @Benchmark
  public void diskOpen(Disk disk) throws IOException {
    disk.tree.open();
  }

  /** Reads the attributes of a file on the disk. */
  @Benchmark
  public void diskStat(Disk disk) throws IOException {
    disk.tree.stat.run();
  }

  /** Lists a directory on the disk. */
  @Benchmark
  public long diskReaddir(Disk disk) throws IOException {
    return disk.tree.list();
  }
}

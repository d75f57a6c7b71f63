package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * The cost of invalidations (hypersync.md 6.3.2): each kind of notification alone, relative to a
 * request that does nothing; and a mutation until another mount shows it, without and with readers
 * that continuously fill that mount's kernel caches again.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class InvalidationBenchmark {
  private static final int FILES = 256;
  private static final int MUTATIONS = 16;

  public InvalidationBenchmark() {}

  /** A mount of files that never change. */
  @State(Scope.Benchmark)
  public static class Still {
    private Scratch scratch;
    private FuseSession session;
    private FuseNotifier notifier;
    private Path mount;
    private FileStore store;
    private int next;

    public Still() {}

    /** Mounts, and has the kernel cache every name, attribute and page. */
    @Setup
    public void mount() throws IOException {
      scratch = Scratch.create();
      mount = scratch.folder("mount");
      session =
          FuseSession.start(
              FuseMount.mount(mount, FuseMountOptions.workspace("hypersync-bench")),
              FuseSessionOptions.defaults(),
              new StaticTree(FILES));
      notifier = session.notifier();
      store = Files.getFileStore(mount);
      for (int i = 0; i < FILES; i++) {
        var _ = Files.readAllBytes(path(i));
      }
    }

    @TearDown
    public void unmount() throws IOException {
      session.close();
      scratch.close();
    }

    int next() {
      next = (next + 1) % FILES;
      return next;
    }

    Path path(int file) {
      return mount.resolve(Integer.toString(file));
    }

    void stat(int file) throws IOException {
      var _ = Files.getAttribute(path(file), "unix:ino");
    }
  }

  /** Two workers: the second one's mount shows what the first one changes. */
  @State(Scope.Benchmark)
  public static class Pair {
    /** Number of threads that continuously list the directory on the second mount. */
    @Param({"0", "1"})
    public int readers;

    private LocalWorkspace workspace;
    private LocalWorkspace.Worker writer;
    private LocalWorkspace.Worker reader;
    private Work rename;
    private Thread listing = new Thread();
    private volatile boolean stopped;

    public Pair() {}

    @Setup
    public void start() throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      writer = workspace.mount();
      reader = workspace.mount();
      rename = Operation.RENAME.plainlyIn(writer.mount().resolve("bench"));
      reader.await(writer.index());
      if (readers > 0) {
        listing = Thread.ofPlatform().daemon().start(this::list);
      }
    }

    @TearDown
    public void stop() throws IOException, InterruptedException {
      stopped = true;
      listing.join();
      rename.close();
      workspace.close();
    }

    private void list() {
      Path directory = reader.mount().resolve("bench");
      while (!stopped) {
        try (Stream<Path> all = Files.list(directory)) {
          for (Path file : all.toList()) {
            var _ = Files.getAttribute(file, "unix:ino");
          }
        } catch (NoSuchFileException renamed) {
          // Expected: the other worker renames files all the time.
        } catch (IOException failure) {
          throw new IllegalStateException(failure);
        }
      }
    }
  }

  /** Invalidates the attributes of a file. */
  @Benchmark
  @Reference("roundTrip")
  public boolean attributes(Still still) throws IOException {
    return still.notifier.attributesOnly(StaticTree.node(still.next()));
  }

  /** Invalidates a file's attributes and its page, and reads it again. */
  @Benchmark
  @Reference("roundTrip")
  public byte[] pagesAndRead(Still still) throws IOException {
    int file = still.next();
    var _ = still.notifier.invalidateInode(StaticTree.node(file), 0, 0);
    return Files.readAllBytes(still.path(file));
  }

  /** Invalidates a name, and looks it up again. */
  @Benchmark
  @Reference("roundTrip")
  public void nameAndLookup(Still still) throws IOException {
    int file = still.next();
    var _ = still.notifier.invalidateEntry(StaticTree.ROOT, StaticTree.name(file));
    still.stat(file);
  }

  /** Expires a name, and looks it up again. */
  @Benchmark
  @Reference("roundTrip")
  public void expireAndLookup(Still still) throws IOException {
    int file = still.next();
    var _ = still.notifier.expireEntry(StaticTree.ROOT, StaticTree.name(file));
    still.stat(file);
  }

  /**
   * The reference: statfs, a request that the kernel never answers from a cache and the handler at
   * once.
   */
  @Benchmark
  public long roundTrip(Still still) throws IOException {
    return still.store.getTotalSpace();
  }

  /** A rename through one mount, until the other worker shows it. */
  @Benchmark
  @OperationsPerInvocation(MUTATIONS)
  @Reference("disk")
  public void mutation(Pair pair) throws IOException {
    for (int i = 0; i < MUTATIONS; i++) {
      pair.rename.run();
      pair.reader.await(pair.writer.index());
    }
  }

  /** The floor of a mutation: one durable overwrite. */
  @Benchmark
  public void disk(DiskFloor floor) throws IOException {
    floor.overwrite();
  }
}

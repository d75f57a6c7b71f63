package io.hypersync.bench;

import io.hypersync.cli.command.ExtraCommand;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.wire.admin.RunDirectory;
import io.hypersync.wire.admin.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hypersync bench}. */
@Command(
    name = "bench",
    description = {
      "Start a leader and two workers as processes of their own and measure durable operations"
          + " through a mount, beside the same operations with fsync on the leader's disk. Cleans"
          + " up. Needs root. Figures mean something on an idle machine only; docs/benchmarks.md"
          + " says how to read them."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync bench                                # all of it, some three minutes",
      "  ./hypersync bench --ops write,create --threads 1,16",
      "  ./hypersync bench --seconds 10 --json > bench.json",
      "  ./hypersync bench --memory                       # memory with 100,000 files",
      "  ./hypersync bench --dir /srv/disk-under-test"
    })
public final class BenchCommand implements ExtraCommand {
  private static final double NS_PER_S = 1e9;
  private static final double WARM_UP_SHARE = 0.25;

  /** For each warm-up step: the compiler has two CPUs to share with what it compiles. */
  private static final long WARM_UP_NS = 8_000_000_000L;

  private static final int MAX_THREADS = 1_000;

  /** 128 and the number of SIGINT, as shells have it. */
  private static final int INTERRUPTED = 130;

  private static final String MANY_FILES = "100000";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--seconds",
      paramLabel = "<n>",
      defaultValue = "2",
      description = "How long to measure each figure (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--threads",
      paramLabel = "<n>",
      split = ",",
      defaultValue = "1,4,16",
      description = "How many threads at once (default: ${DEFAULT-VALUE}).")
  private List<Integer> threads = List.of();

  @Option(
      names = "--ops",
      paramLabel = "<op>",
      split = ",",
      description =
          "Which operations (default: all): disk-overwrite, disk-append, create, write, append,"
              + " mkdir, rename, unlink, stat, read, write-1m, read-1m.")
  private List<String> ops = List.of();

  @Option(
      names = "--memory",
      paramLabel = "<files>",
      arity = "0..1",
      fallbackValue = MANY_FILES,
      description =
          "Measure memory instead: create so many files (" + MANY_FILES + " if not said).")
  private @Nullable Long memory;

  @Option(
      names = "--dir",
      paramLabel = "<dir>",
      description = "A folder on the disk to measure (default: that for temporary files).")
  private @Nullable Path dir;

  @Option(names = "--json", description = "Write JSON, as docs/benchmarks.md describes it.")
  private boolean json;

  /** Made by the service loader. */
  public BenchCommand() {}

  @Override
  public Integer call() throws IOException {
    List<Operation> operations = operations();
    requireSense();
    try {
      run(operations);
      return 0;
    } catch (InterruptedException stopped) {
      // By the hook of Ctrl-C, which cleans up; the machine ends when it is through.
      Thread.currentThread().interrupt();
      return INTERRUPTED;
    }
  }

  private void run(List<Operation> operations) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Narrator narrator = new Narrator(json ? spec.commandLine().getErr() : out);
    try (Cleanup cleanup = new Cleanup(narrator)) {
      // Ctrl-C ends the machine, not this block; the hook is what then cleans up.
      Runtime.getRuntime().addShutdownHook(new Thread(cleanup::undo, "bench-cleanup"));
      DemoFolder folder = DemoFolder.create(parent());
      cleanup.add("remove " + folder.root(), folder::delete);
      double loadAtStart = Machine.loadAverage();
      Machine machine = Machine.here(folder.root());
      narrator.say("%s, load average %.1f", machine.describe(), loadAtStart);
      Demo.Cast cast =
          new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()))
              .start(NewIds.workspace());
      Place mount = new Place(Place.Kind.HYPERSYNC, folder.mount("a").resolve("bench"));
      List<Pair> rows = List.of();
      Optional<MemoryUse> use = Optional.empty();
      if (memory == null) {
        Place plain = new Place(Place.Kind.PLAIN, folder.root().resolve("plain"));
        rows = Pair.of(measure(narrator, cleanup, operations, mount, plain));
      } else {
        ManyFiles files = new ManyFiles(narrator, cast, mount.root(), memory);
        cleanup.add("stop creating files", files::stop);
        use = Optional.of(files.run());
      }
      Report report = new Report(machine, loadAtStart, Machine.loadAverage(), rows, use);
      cleanup.undo();
      out.print(
          json ? JsonReport.render(report).toPrettyString() + "\n" : TextReport.render(report));
      out.flush();
    }
  }

  private List<Sample> measure(
      Narrator narrator, Cleanup cleanup, List<Operation> operations, Place mount, Place plain)
      throws IOException, InterruptedException {
    Meter meter =
        new Meter((long) (seconds * WARM_UP_SHARE * NS_PER_S), (long) (seconds * NS_PER_S));
    Meter brief = new Meter(0, WARM_UP_NS);
    cleanup.add("stop measuring", meter::stop);
    cleanup.add("stop warming up", brief::stop);
    Bench bench = new Bench(narrator, meter);
    bench.warmUp(brief, mount);
    return bench.run(operations, threads, mount, plain);
  }

  private List<Operation> operations() {
    if (ops.isEmpty()) {
      return List.of(Operation.values());
    }
    List<Operation> chosen = new ArrayList<>();
    for (String key : ops) {
      chosen.add(
          Operation.of(key)
              .orElseThrow(
                  () ->
                      new UserError(
                          "there is no operation '" + key + "'",
                          "There are: " + Operation.keys(),
                          UserError.USAGE)));
    }
    return chosen;
  }

  private void requireSense() {
    if (seconds <= 0) {
      throw new UserError("--seconds must be more than 0", "", UserError.USAGE);
    }
    if (threads.stream().anyMatch(count -> count < 1 || count > MAX_THREADS)) {
      throw new UserError("--threads must be from 1 to " + MAX_THREADS, "", UserError.USAGE);
    }
    if (memory != null && memory < 1) {
      throw new UserError("--memory must be at least 1 file", "", UserError.USAGE);
    }
    if (!Files.isWritable(Path.of("/dev/fuse"))) {
      throw new UserError(
          "the benchmark mounts filesystems, and /dev/fuse cannot be opened",
          "Run it as root, on a machine with FUSE (modprobe fuse; in a container: --device"
              + " /dev/fuse --cap-add SYS_ADMIN).");
    }
  }

  private Path parent() {
    Path parent = dir == null ? Path.of(System.getProperty("java.io.tmpdir")) : dir;
    if (!Files.isDirectory(parent)) {
      throw new UserError(parent + " is no folder", "Name one: --dir <dir>", UserError.USAGE);
    }
    return parent.toAbsolutePath();
  }
}

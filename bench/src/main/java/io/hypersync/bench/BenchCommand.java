package io.hypersync.bench;

import io.hypersync.bench.baseline.Baseline;
import io.hypersync.bench.baseline.Comparison;
import io.hypersync.bench.baseline.ComparisonReport;
import io.hypersync.bench.micro.Figure;
import io.hypersync.bench.micro.MicroRun;
import io.hypersync.bench.micro.MicroSuite;
import io.hypersync.cli.command.ExtraCommand;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hypersync bench}: measures a leader and workers, and compares with a baseline. */
@Command(
    name = "bench",
    description = {
      "Start a leader and workers as processes of their own and measure durable operations"
          + " through a mount, beside the same operations with fsync on the leader's disk. Cleans"
          + " up. Needs root. Figures mean something on an idle machine only; docs/benchmarks.md"
          + " says how to read them."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync bench                                # all of it, some eight minutes",
      "  ./hypersync bench --ops write,create --threads 1,16",
      "  ./hypersync bench --seconds 10 --json > bench.json",
      "  ./hypersync bench --peer moosefs                 # beside a networked filesystem, too",
      "  ./hypersync bench --beside main-host,dirsync     # beside the mount of the main host",
      "  ./hypersync bench --beside jnr                   # beside a mount through libfuse 2",
      "  ./hypersync bench --workers 1                    # and nobody replicates it beside",
      "  ./hypersync bench --memory                       # memory with 100,000 files",
      "  ./hypersync bench --suite jobs                   # git clone, tar, grep, large files",
      "  ./hypersync bench --suite pauses                 # ten minutes at half load, and more",
      "  ./hypersync bench --suite flood                  # what unauthenticated peers cost",
      "  ./hypersync bench --suite freshness              # how old a first look elsewhere is",
      "  ./hypersync bench --suite growth                 # what grows while files only change",
      "  ./hypersync bench --suite scale --files 1000000  # what many files cost",
      "  ./hypersync bench --suite loss --loss 1,10 --delay 20",
      "  ./hypersync bench --suite micro --compare        # is a part slower than it was?",
      "  ./hypersync bench --dir /srv/disk-under-test"
    })
public final class BenchCommand implements ExtraCommand {
  private static final double PERCENT = 100;

  private static final String NO_NEIGHBOUR = "none";
  private static final Set<MeasuredFilesystem.Kind> NEIGHBOURS =
      Collections.unmodifiableSet(
          EnumSet.of(
              MeasuredFilesystem.Kind.MAIN_HOST,
              MeasuredFilesystem.Kind.UNSYNCED,
              MeasuredFilesystem.Kind.DIRSYNC,
              MeasuredFilesystem.Kind.BINDFS,
              MeasuredFilesystem.Kind.JNR));

  /** Exit code if a ratio is worse than the baseline allows. */
  private static final int SLOWER = 3;

  private static final int MAX_THREADS = 1_000;

  /** 128 plus the number of SIGINT, as in shells. */
  private static final int INTERRUPTED = 130;

  private static final double USUAL_SECONDS = 2;

  /** A connection does not survive more. */
  private static final int MOST_LOST_PERCENT = 30;

  private static final int MOST_BURST_MS = 1_000;

  private static final int MOST_DELAY_MS = 500;

  private static final String MANY_FILES = "100000";

  private static final String OTHER_BASELINE = "name another file: --baseline <file>";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--suite",
      paramLabel = "<suite>",
      defaultValue = "e2e",
      converter = Suite.Reader.class,
      description =
          "What to measure: e2e, a leader and workers as processes and operations through a"
              + " mount; jobs, git, tar and others that work there; micro, the parts they are made"
              + " of; pauses, how long each process stands still while files are created at half"
              + " the speed at which they can be; flood, what a commit takes while unauthenticated"
              + " peers send the leader first packets; loss, how writes get through paths that lose"
              + " packets; or freshness, how often a look through one"
              + " mount right after a call through another shows what was there before (default:"
              + " ${DEFAULT-VALUE}).")
  private Suite suite = Suite.E2E;

  @Option(
      names = "--workers",
      paramLabel = "<n>",
      defaultValue = "2",
      description =
          "How many workers. One is measured, the others only replicate what it does, on the same"
              + " processors; not of micro (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--compare",
      description =
          "Hold the ratios of this run against the baseline of the suite, and end with 3 if one is"
              + " worse by more than the tolerance.")
  private boolean compare;

  @Option(
      names = "--save",
      description =
          "Write the ratios of this run as the baseline: of a whole suite, else to a file that"
              + " --baseline names.")
  private boolean save;

  @Option(
      names = "--baseline",
      paramLabel = "<file>",
      description = "The baseline (default: that of the suite in bench/baselines).")
  private @Nullable Path baseline;

  @Option(
      names = "--tolerance",
      paramLabel = "<percent>",
      defaultValue = "50",
      description = "How much worse a ratio may be (default: ${DEFAULT-VALUE}).")
  private double tolerance;

  @Option(
      names = "--seconds",
      paramLabel = "<n>",
      description = "How long to measure each figure (default: 2; of pauses: 600; of flood: 10).")
  private @Nullable Double seconds;

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
          "Which operations (default: all): disk-overwrite, disk-append, loopback, statfs, create,"
              + " write, append, mkdir, chmod, rename, unlink, stat, absent, walk, read, write-1m,"
              + " read-1m; of jobs: clone, untar, status, walk-tree, grep, remove, large-write,"
              + " large-read-cold, large-read-warm; of micro: commit-loop, blake3, chunk-store,"
              + " log-append, apply, fan-out, leader, fuse-crossing, invalidation, append, merkle,"
              + " raptorq, agent-names.")
  private List<String> ops = List.of();

  @Option(
      names = "--beside",
      paramLabel = "<fs>",
      split = ",",
      defaultValue = "unsynced,dirsync,bindfs",
      description =
          "Which filesystems to measure, too, beside the disk with fsync: main-host, a mount in the"
              + " leader's process; unsynced, the disk"
              + " without; dirsync, an ext4 that is mounted sync,dirsync; bindfs, a libfuse"
              + " passthrough; jnr, a mount of one more worker through libfuse 2; none (default:"
              + " ${DEFAULT-VALUE}).")
  private List<String> beside = List.of();

  @Option(
      names = "--peer",
      paramLabel = "<name>",
      description =
          "Measure a networked filesystem, too, which the script of this name in bench/peers sets"
              + " up on this machine and takes down: moosefs.")
  private @Nullable String peer;

  @Option(
      names = "--memory",
      paramLabel = "<files>",
      arity = "0..1",
      fallbackValue = MANY_FILES,
      description =
          "Measure memory instead: create so many files (" + MANY_FILES + " if not said).")
  private @Nullable Long memory;

  @Option(
      names = "--memory-bytes",
      paramLabel = "<bytes>",
      defaultValue = "0",
      description =
          "What each of these files has, 8 to 4096 bytes, in no two the same; 0 for empty ones"
              + " (default: ${DEFAULT-VALUE}).")
  private int memoryBytes;

  @Option(
      names = "--entries",
      paramLabel = "<n>",
      split = ",",
      description =
          "Of growth: how many entries the log has had when it is looked at (default:"
              + " 3000,9000,30000).")
  private List<Long> entries = List.of();

  @Option(
      names = "--files",
      paramLabel = "<n>",
      description = "Of scale: how many files the workspace has (default: 20000).")
  private @Nullable Long files;

  @Option(
      names = "--before",
      paramLabel = "<launcher>",
      description =
          "Of scale: the hypersync command of another build, whose memory and restarts are"
              + " measured, too.")
  private @Nullable Path before;

  @Option(
      names = "--loss",
      paramLabel = "<percent>",
      split = ",",
      description = "Of loss: how many percent of the packets are lost (default: 0,1,5).")
  private List<Double> loss = List.of();

  @Option(
      names = "--burst",
      paramLabel = "<ms>",
      split = ",",
      description =
          "Of loss: how long packets are lost in one go, on average (default: 0, each by itself).")
  private List<Integer> burst = List.of();

  @Option(
      names = "--delay",
      paramLabel = "<ms>",
      split = ",",
      description = "Of loss: how long packets take in each direction (default: 5).")
  private List<Integer> delay = List.of();

  @Option(
      names = "--dir",
      paramLabel = "<dir>",
      description = "A folder on the disk to measure (default: that for temporary files).")
  private @Nullable Path dir;

  @Option(names = "--json", description = "Write JSON, as docs/benchmarks.md describes it.")
  private boolean json;

  /** Called by {@link java.util.ServiceLoader}. */
  public BenchCommand() {}

  @Override
  public Integer call() throws IOException {
    validate();
    if (compare) {
      var _ = known(); // fails now if there is no baseline, not after the run
    }
    Narrator narrator =
        new Narrator(json ? spec.commandLine().getErr() : spec.commandLine().getOut());
    try (Cleanup cleanup = new Cleanup(narrator)) {
      // Ctrl-C ends the JVM without leaving this block; the hook cleans up then.
      Runtime.getRuntime().addShutdownHook(new Thread(cleanup::undo, "bench-cleanup"));
      DemoFolder folder = DemoFolder.create(parent());
      cleanup.add("remove " + folder.root(), folder::delete);
      narrator.say(
          "%s, load average %.1f", Machine.here(folder.root()).describe(), Machine.loadAverage());
      SuiteResult findings = run(narrator, cleanup, folder);
      cleanup.undo();
      return report(findings);
    } catch (IOException failure) {
      throw DiskTrouble.of(failure, parent());
    } catch (InterruptedException stopped) {
      // Interrupted by the shutdown hook after Ctrl-C; the JVM ends when the hook has cleaned up.
      Thread.currentThread().interrupt();
      return INTERRUPTED;
    }
  }

  private SuiteResult run(Narrator narrator, Cleanup cleanup, DemoFolder folder)
      throws IOException, InterruptedException {
    return switch (suite) {
      case E2E ->
          new EndToEnd(
                  new Workers(workers),
                  seconds(),
                  operations(),
                  threads.stream().distinct().toList(),
                  neighbours(),
                  peerScript(),
                  memory == null ? OptionalLong.empty() : OptionalLong.of(memory),
                  memoryBytes)
              .run(narrator, cleanup, folder);
      case JOBS ->
          new Jobs(new Workers(workers), jobs(), neighbours(), peerScript())
              .run(narrator, cleanup, folder);
      case MICRO -> {
        double loadAtStart = Machine.loadAverage();
        cleanup.add("take mounts away", new StaleMounts(folder.root())::clear);
        List<Figure> figures = new MicroRun(narrator, folder.root(), seconds()).run(subjects());
        Load load = new Load(Machine.here(folder.root()), loadAtStart, Machine.loadAverage());
        yield MicroReport.of(load, figures);
      }
      case PAUSES -> new Pauses(new Workers(workers), seconds()).run(narrator, cleanup, folder);
      case FLOOD -> new Flood(new Workers(workers), seconds()).run(narrator, cleanup, folder);
      case FRESHNESS -> new FreshnessRun(new Workers(workers)).run(narrator, cleanup, folder);
      case GROWTH -> new Growth(entries()).run(narrator, cleanup, folder);
      case SCALE -> new Scale(files(), Optional.ofNullable(before)).run(narrator, cleanup, folder);
      case LOSS ->
          new LossRun(new Workers(workers), losses(), bursts(), delays())
              .run(narrator, cleanup, folder);
    };
  }

  /**
   * Prints the findings; returns the exit code, which tells whether they are as good as the
   * baseline.
   */
  private int report(SuiteResult findings) {
    PrintWriter out = spec.commandLine().getOut();
    Optional<Comparison> comparison = compare ? Optional.of(compared(findings)) : Optional.empty();
    if (json) {
      comparison.ifPresent(
          found -> findings.json().set("comparison", ComparisonReport.json(found)));
      out.println(findings.json().toPrettyString());
    } else {
      out.print(findings.text());
      comparison.ifPresent(found -> out.print(ComparisonReport.render(found)));
    }
    out.flush();
    if (save) {
      requireAllRows(findings);
      now(findings).write(baselineFile());
    }
    return comparison.map(found -> found.failures().isEmpty() ? 0 : SLOWER).orElse(0);
  }

  private Comparison compared(SuiteResult findings) {
    return Comparison.of(known(), now(findings), scope().isWhole(), 1 + tolerance / PERCENT);
  }

  /** Called after the report is printed, so that the findings are not lost. */
  private void requireAllRows(SuiteResult findings) {
    if (baseline == null && !findings.missing().isEmpty()) {
      throw new UserError(
          "--save would replace the whole baseline by a part: "
              + String.join("; ", findings.missing()),
          OTHER_BASELINE);
    }
  }

  private Scope scope() {
    return new Scope(suite, ops, Set.copyOf(threads), neighbours());
  }

  private Baseline known() {
    return Baseline.read(baselineName(), baselineFile());
  }

  private Baseline now(SuiteResult findings) {
    return new Baseline(baselineName(), findings.load(), findings.rows());
  }

  private Path baselineFile() {
    return baseline != null ? baseline : home().resolve("baselines/" + baselineName() + ".json");
  }

  /**
   * Results with different numbers of workers cannot be compared, so each number has its own
   * baseline.
   */
  private String baselineName() {
    return workers == Workers.USUAL.count() ? suite.key() : suite.key() + "-workers-" + workers;
  }

  private Optional<Path> peerScript() {
    return Optional.ofNullable(peer).map(BenchCommand::script);
  }

  private static Path script(String peer) {
    Path script = home().resolve("peers").resolve(peer);
    if (!Files.isExecutable(script)) {
      throw new UserError("there is no " + script, "There is: --peer moosefs", UserError.USAGE);
    }
    return script;
  }

  /** Returns the directory of this module, beside the launcher. */
  private static Path home() {
    String launcher = System.getenv("HYPERSYNC_LAUNCHER");
    if (launcher == null) {
      throw new UserError("where is HyperSync?", "Start it by ./hypersync.", UserError.USAGE);
    }
    return Path.of(launcher).resolveSibling("bench");
  }

  private Set<MeasuredFilesystem.Kind> neighbours() {
    Set<MeasuredFilesystem.Kind> kinds = EnumSet.noneOf(MeasuredFilesystem.Kind.class);
    for (String label : beside) {
      if (!label.equals(NO_NEIGHBOUR)) {
        kinds.add(
            NEIGHBOURS.stream()
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(
                    () ->
                        new UserError(
                            "--beside " + label + "?",
                            "There are: unsynced, dirsync, bindfs, jnr, none",
                            UserError.USAGE)));
      }
    }
    return kinds;
  }

  /** Returns what is measured, without duplicates, in the order of {@code --ops}. */
  List<? extends Enum<?>> chosen() {
    return switch (suite) {
      case E2E -> operations();
      case JOBS -> jobs();
      case MICRO -> subjects();
      case PAUSES, FLOOD, FRESHNESS, GROWTH, SCALE, LOSS -> {
        if (!ops.isEmpty()) {
          throw new UserError("--ops is not of suite " + suite.key(), "", UserError.USAGE);
        }
        yield List.of();
      }
    };
  }

  private List<Long> entries() {
    return entries.isEmpty() ? Growth.USUAL_ENTRIES : entries;
  }

  private List<Double> losses() {
    return loss.isEmpty()
        ? LossRun.USUAL_LOSSES
        : loss.stream().map(percent -> percent / PERCENT).toList();
  }

  private List<Duration> bursts() {
    return burst.isEmpty() ? LossRun.USUAL_BURSTS : burst.stream().map(Duration::ofMillis).toList();
  }

  private List<Duration> delays() {
    return delay.isEmpty() ? LossRun.USUAL_DELAYS : delay.stream().map(Duration::ofMillis).toList();
  }

  private long files() {
    return files == null ? Scale.USUAL_FILES : files;
  }

  private double seconds() {
    if (seconds != null) {
      return seconds;
    }
    return switch (suite) {
      case PAUSES -> Pauses.USUAL_SECONDS;
      case FLOOD -> Flood.USUAL_SECONDS;
      case E2E, JOBS, MICRO, FRESHNESS, GROWTH, SCALE, LOSS -> USUAL_SECONDS;
    };
  }

  private List<Operation> operations() {
    return chosen(Operation.class, Operation::of, Operation.keys());
  }

  private List<Job> jobs() {
    return chosen(Job.class, Job::of, Job.keys());
  }

  private List<MicroSuite> subjects() {
    return chosen(MicroSuite.class, MicroSuite::of, MicroSuite.keys());
  }

  private <E extends Enum<E>> List<E> chosen(
      Class<E> all, Function<String, Optional<E>> byKey, String keys) {
    if (ops.isEmpty()) {
      return List.of(all.getEnumConstants());
    }
    Set<E> chosen = new LinkedHashSet<>(); // no duplicates: the second run's files would exist
    for (String key : ops) {
      chosen.add(
          byKey
              .apply(key)
              .orElseThrow(
                  () ->
                      new UserError(
                          "there is no '" + key + "' in suite " + suite.key(),
                          "There are: " + keys,
                          UserError.USAGE)));
    }
    return List.copyOf(chosen);
  }

  /**
   * Checks the options.
   *
   * @throws UserError naming the option and what it may be
   */
  void validate() {
    if (seconds() <= 0) {
      throw new UserError("--seconds must be more than 0", "", UserError.USAGE);
    }
    if (workers < 1 || workers > Workers.MAX) {
      throw new UserError("--workers must be from 1 to " + Workers.MAX, "", UserError.USAGE);
    }
    if (threads.stream().anyMatch(count -> count < 1 || count > MAX_THREADS)) {
      throw new UserError("--threads must be from 1 to " + MAX_THREADS, "", UserError.USAGE);
    }
    var _ = chosen();
    var _ = neighbours();
    var _ = peerScript();
    if (tolerance <= 0) {
      throw new UserError("--tolerance must be more than 0", "", UserError.USAGE);
    }
    if (suite != Suite.E2E && memory != null) {
      throw new UserError("--memory is of suite e2e", "", UserError.USAGE);
    }
    if (memory != null && (save || compare)) {
      throw new UserError(
          "--memory gives no ratios to --save or --compare",
          "Measure memory alone, and the suite in another run.",
          UserError.USAGE);
    }
    if (!suite.hasRatios() && (save || compare)) {
      throw new UserError(
          "suite " + suite.key() + " gives no ratios to --save or --compare", "", UserError.USAGE);
    }
    if ((suite == Suite.FRESHNESS || suite == Suite.LOSS) && workers < 2) {
      throw new UserError(
          "suite " + suite.key() + " takes two workers at least", "", UserError.USAGE);
    }
    if (suite != Suite.LOSS && !(loss.isEmpty() && burst.isEmpty() && delay.isEmpty())) {
      throw new UserError("--loss, --burst and --delay are of suite loss", "", UserError.USAGE);
    }
    if (loss.stream().anyMatch(percent -> percent < 0 || percent > MOST_LOST_PERCENT)
        || burst.stream().anyMatch(ms -> ms < 0 || ms > MOST_BURST_MS)
        || delay.stream().anyMatch(ms -> ms < 0 || ms > MOST_DELAY_MS)) {
      throw new UserError(
          "--loss must be 0 to "
              + MOST_LOST_PERCENT
              + " percent, --burst 0 to "
              + MOST_BURST_MS
              + " ms, and --delay 0 to "
              + MOST_DELAY_MS
              + " ms",
          "",
          UserError.USAGE);
    }
    if (save && baseline == null && !scope().isWhole()) {
      throw new UserError(
          "--save would replace the whole baseline of suite " + suite.key() + " by a part",
          "Measure all of it (without --ops, --threads and --beside), or\n" + OTHER_BASELINE,
          UserError.USAGE);
    }
    if (suite != Suite.GROWTH && !entries.isEmpty()) {
      throw new UserError("--entries is of suite growth", "", UserError.USAGE);
    }
    if (suite == Suite.GROWTH && !Growth.isIncreasing(entries())) {
      throw new UserError(
          "--entries must be two increasing numbers at least",
          "As in: --suite growth --entries 100000,300000,1000000",
          UserError.USAGE);
    }
    if (suite != Suite.SCALE && (files != null || before != null)) {
      throw new UserError("--files and --before are of suite scale", "", UserError.USAGE);
    }
    if (files() < Scale.LEAST_FILES) {
      throw new UserError(
          "--files must be at least " + Scale.LEAST_FILES,
          "As in: --suite scale --files 1000000",
          UserError.USAGE);
    }
    if (before != null && !Files.isExecutable(before)) {
      throw new UserError(
          "--before: " + before + " cannot be run",
          "It is the hypersync command of a version that is built.",
          UserError.USAGE);
    }
    if ((suite == Suite.GROWTH || suite == Suite.SCALE) && workers != Workers.USUAL.count()) {
      throw new UserError("--workers is not of suite " + suite.key(), "", UserError.USAGE);
    }
    if (suite == Suite.MICRO && workers != Workers.USUAL.count()) {
      throw new UserError("--workers is not of suite micro", "", UserError.USAGE);
    }
    if (suite == Suite.JOBS) {
      Jobs.requirePrograms();
    }
    if (memory != null && memory < 1) {
      throw new UserError("--memory must be at least 1 file", "", UserError.USAGE);
    }
    if (memory == null && memoryBytes != 0) {
      throw new UserError(
          "--memory-bytes is of --memory", "As in: --memory --memory-bytes 4096", UserError.USAGE);
    }
    if (memoryBytes != 0
        && (memoryBytes < MemoryUse.MIN_FILE_BYTES || memoryBytes > MemoryUse.MAX_FILE_BYTES)) {
      throw new UserError(
          "--memory-bytes must be 0, or from %d to %d"
              .formatted(MemoryUse.MIN_FILE_BYTES, MemoryUse.MAX_FILE_BYTES),
          "",
          UserError.USAGE);
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
    if (!Files.isWritable(parent)) {
      throw new UserError(
          parent + " cannot be written", "Name another folder: --dir <dir>", UserError.USAGE);
    }
    return parent.toAbsolutePath();
  }
}

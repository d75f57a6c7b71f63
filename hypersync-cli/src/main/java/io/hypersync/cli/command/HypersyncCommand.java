package io.hypersync.cli.command;

import io.hypersync.cli.Version;
import io.hypersync.cli.demo.DemoCommand;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.worker.WorkerDaemonOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The top-level command that all others are subcommands of; without a subcommand it shows the
 * usage.
 */
@Command(
    name = "hypersync",
    description = "One shared workspace for many machines, one durable log behind it.",
    synopsisSubcommandLabel = "<command>",
    footerHeading = "%nExamples:%n",
    footer = {"  ./hypersync demo", "  ./hypersync status --json", "  ./hypersync help worker"})
public final class HypersyncCommand implements Runnable {
  /** The words that ask for the version: no subcommand is needed for that. */
  public static final Set<String> VERSION = Set.of("-V", "--version");

  private static final String LEADER = "leader";
  private static final String WORKER = "worker";
  private static final String UP = "up";

  /** Read without an option parser, unless its help is wanted. */
  public static final String ROBOT = "robot";

  /** Subcommands by name in the order of the usage, without those that start daemons. */
  private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("demo", DemoCommand.class);
    COMMANDS.put("init", InitCommand.class);
    COMMANDS.put("down", DownCommand.class);
    COMMANDS.put("token", TokenCommand.class);
    COMMANDS.put("certs", CertsCommand.class);
    COMMANDS.put("mount", MountCommand.class);
    COMMANDS.put("umount", UmountCommand.class);
    COMMANDS.put("status", StatusCommand.class);
    COMMANDS.put("top", TopCommand.class);
    COMMANDS.put("log", LogCommand.class);
    COMMANDS.put("who", WhoCommand.class);
    COMMANDS.put("hazards", HazardsCommand.class);
    COMMANDS.put("reservations", ReservationsCommand.class);
    COMMANDS.put("peers", PeersCommand.class);
    COMMANDS.put("events", EventsCommand.class);
    COMMANDS.put("leadership", LeadershipCommand.class);
    COMMANDS.put("putex", PutexCommand.class);
    COMMANDS.put("standby", StandbyCommand.class);
    COMMANDS.put("promote", PromoteCommand.class);
    COMMANDS.put("failover", FailoverCommand.class);
    COMMANDS.put("message", MessageCommand.class);
    COMMANDS.put("place", PlaceCommand.class);
    COMMANDS.put(ROBOT, RobotCommand.class);
    COMMANDS.put("ntm", NtmCommand.class);
    COMMANDS.put("doctor", DoctorCommand.class);
    COMMANDS.put("config", ConfigCommand.class);
    COMMANDS.put("support", SupportCommand.class);
    COMMANDS.put("env", EnvCommand.class);
    COMMANDS.put("exec", ExecCommand.class);
    COMMANDS.put("snapshot", SnapshotCommand.class);
    COMMANDS.put("gc", GcCommand.class);
    COMMANDS.put("scrub", ScrubCommand.class);
    COMMANDS.put("backup", BackupCommand.class);
    COMMANDS.put("visibility", VisibilityCommand.class);
    COMMANDS.put("diff", DiffCommand.class);
    COMMANDS.put("restore", RestoreCommand.class);
    COMMANDS.put("undo", UndoCommand.class);
    COMMANDS.put("at", AtCommand.class);
    COMMANDS.put("bisect", BisectCommand.class);
    COMMANDS.put("why-slow", WhySlowCommand.class);
    COMMANDS.put("profile", ProfileCommand.class);
    COMMANDS.put("trace", TraceCommand.class);
    COMMANDS.put("replay", ReplayCommand.class);
    COMMANDS.put("cut-log", CutLogCommand.class);
    COMMANDS.put("convert", ConvertCommand.class);
  }

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  boolean help;

  @ArgGroup(exclusive = false)
  private @Nullable VersionOptions version;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** A group, so that {@code --json} before a subcommand is refused and not ignored. */
  private static final class VersionOptions {
    @Option(
        names = {"-V", "--version"},
        required = true,
        description = "Show which version this is.")
    boolean isWanted;

    @Option(names = "--json", description = "With --version: write JSON.")
    boolean json;
  }

  /**
   * Adds one subcommand.
   *
   * @return false if there is no command of this name; nothing is added then
   */
  public static boolean add(
      CommandLine line,
      String name,
      DaemonStarter<LeaderDaemonOptions> leader,
      DaemonStarter<WorkerDaemonOptions> worker) {
    Object command =
        switch (name) {
          case LEADER -> new LeaderCommand(leader);
          case WORKER -> new WorkerCommand(worker);
          case UP -> new UpCommand(leader);
          default -> COMMANDS.get(name);
        };
    if (command == null) {
      return false;
    }
    line.addSubcommand(name, command);
    if (name.equals(ROBOT)) { // which reads its own options
      var _ = line.getSubcommands().get(name).setUnmatchedOptionsArePositionalParams(true);
    }
    return true;
  }

  public static void addAll(
      CommandLine line,
      DaemonStarter<LeaderDaemonOptions> leader,
      DaemonStarter<WorkerDaemonOptions> worker) {
    Stream.concat(COMMANDS.keySet().stream(), Stream.of(UP, LEADER, WORKER))
        .forEach(name -> add(line, name, leader, worker));
  }

  @Override
  public void run() {
    if (version != null && version.isWanted) {
      new Output(spec.commandLine().getOut(), version.json)
          .show(Version.json(), () -> Version.line() + "\n");
      return;
    }
    throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
  }
}

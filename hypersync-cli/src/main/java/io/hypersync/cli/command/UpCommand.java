package io.hypersync.cli.command;

import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.reload.Reload;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.cli.runtime.LeaderProcess;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.leader.LeaderDaemonOptions;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code hypersync up}: a workspace on its main host in one step. It is made if it is not there,
 * then its leader and a mount run in this process until it is stopped (hypersync.md 4.2).
 */
@Command(
    name = "up",
    description = {
      "Make a workspace if there is none, run its leader, and mount it, all in this process, until a",
      "signal or ./hypersync down ends it. Needs root. Logs go to standard error."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync up /srv/team --mount /ntmfs/ws/team",
      "  ./hypersync up /srv/team --mount /ntmfs/ws/team --bind 10.0.0.1:7890",
      "  ./hypersync token fmd --dir /srv/team     # another host joins it"
    })
public final class UpCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(UpCommand.class);
  private static final String USUAL_ADDRESS = "0.0.0.0:7890";

  private final DaemonStarter<LeaderDaemonOptions> starter;

  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LogOptions logOptions = new LogOptions();
  @Mixin private final SeatOptions seat = new SeatOptions();

  @Parameters(paramLabel = "<dir>", description = "The workspace's folder.")
  private Path directory = Path.of("");

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      required = true,
      description = "Where to mount it; an empty folder, or one that is made and taken away again.")
  private String mount = "";

  @Option(
      names = "--name",
      paramLabel = "<name>",
      description = "What to call a new workspace (default: the name of the folder).")
  private @Nullable String name;

  @Option(
      names = "--bind",
      paramLabel = "<host:port>",
      description =
          "Where to listen (UDP) for other hosts; a new workspace remembers it (default: "
              + USUAL_ADDRESS
              + ").")
  private @Nullable String bind;

  /** Creates the command with the function that starts a leader without a mount. */
  public UpCommand(DaemonStarter<LeaderDaemonOptions> starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws InterruptedException {
    Path root = directory.toAbsolutePath().normalize();
    WorkspaceDirectory workspace =
        WorkspaceDirectory.isIn(root) ? WorkspaceDirectory.open(root) : create(root);
    workspace.closeToOthers();
    configurationOptions.put("--mount", Settings.WORKER_MOUNT, mount);
    configurationOptions.put("--bind", Settings.LEADER_BIND_ADDRESS, bind);
    logOptions.put(configurationOptions);
    Reload reload = Reload.begin(configurationOptions.source(workspace.configFile()));
    new LeaderProcess(workspace, reload::current, reload)
        .run(starter, reload.current().findPath(Settings.WORKER_MOUNT), seat.seat());
    return 0;
  }

  private WorkspaceDirectory create(Path root) {
    HostPort address =
        Arguments.parse(
            "--bind", Settings.LEADER_BIND_ADDRESS, bind == null ? USUAL_ADDRESS : bind);
    WorkspaceDirectory made =
        WorkspaceDirectory.create(
            root,
            NewIds.workspace(),
            new WorkspaceName(name != null ? name : String.valueOf(root.getFileName())),
            Instant.now(),
            WorkspaceDirectory.saying(address));
    LOG.info("made workspace {} ({}) in {}", made.name(), made.id(), root);
    return made;
  }
}

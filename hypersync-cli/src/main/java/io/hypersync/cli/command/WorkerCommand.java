package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.reload.Reload;
import io.hypersync.cli.runtime.DaemonProcess;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.cli.runtime.MetricsPlan;
import io.hypersync.cli.runtime.OptionSavingDaemon;
import io.hypersync.cli.runtime.Practising;
import io.hypersync.cli.runtime.SuccessorTurn;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.WorkerDaemonOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code hypersync worker}: runs the worker daemon, which mounts a workspace, until it is stopped
 * (hypersync.md 3, 4.1).
 */
@Command(
    name = "worker",
    subcommands = {WorkerRestartCommand.class, WorkerUpgradeCommand.class},
    description = {
      "Mount a workspace, until a signal or ./hypersync umount ends it. Needs root.",
      "Logs go to standard error."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync worker --token fmd.token --mount /ntmfs/ws/team   # the first time",
      "  ./hypersync worker                                            # from then on",
      "  ./hypersync worker --mount /ntmfs/ws/team --leader-address 10.0.0.2:7890",
      "  ./hypersync worker restart      # another process goes on with the mount",
      "  ./hypersync worker upgrade /opt/hypersync-2/hypersync   # one of another build"
    })
public final class WorkerCommand implements Callable<Integer> {
  private final DaemonStarter<WorkerDaemonOptions> starter;

  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LogOptions logOptions = new LogOptions();

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description =
          "Where to mount it (default: where it was before); an empty folder, or one that is made"
              + " and taken away again.")
  private @Nullable String mount;

  @Option(
      names = "--token",
      paramLabel = "<file>",
      description = "The enrolment token; needed the first time.")
  private @Nullable String token;

  @Option(
      names = "--id",
      paramLabel = "<worker>",
      description = "Which worker, if this machine is enrolled as several.")
  private @Nullable String id;

  @Option(
      names = "--leader-address",
      paramLabel = "<host:port>",
      description =
          "Where the leader is, or may be, over what the token says; from then on. May be repeated.")
  private List<String> leaderAddresses = new ArrayList<>();

  @Option(
      names = "--local-dir",
      paramLabel = "<dir>",
      description =
          "The folder beside the mount for caches and what hypersync.ignore names; not replicated.")
  private @Nullable String localDir;

  @Option(
      names = "--state-dir",
      paramLabel = "<dir>",
      description =
          "Where the worker keeps its identity and its copy (default:"
              + " /var/lib/hypersync/<workspace id>-<worker>).")
  private @Nullable String stateDir;

  @Option(
      names = "--suid",
      description = "Let set-id bits of files count: trust root of all machines of the workspace.")
  private boolean suid;

  @Option(
      names = "--dev",
      description = "Let device nodes be opened: trust root of all machines of the workspace.")
  private boolean dev;

  /** Creates the command with the function that starts its daemon. */
  public WorkerCommand(DaemonStarter<WorkerDaemonOptions> starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws InterruptedException {
    configurationOptions.put("--mount", Settings.WORKER_MOUNT, mount);
    configurationOptions.put("--token", Settings.WORKER_TOKEN, token);
    configurationOptions.put("--id", Settings.WORKER_ID, id);
    configurationOptions.put(
        "--leader-address",
        Settings.WORKER_LEADER_ADDRESS,
        leaderAddresses.isEmpty() ? null : String.join(",", leaderAddresses));
    configurationOptions.put("--local-dir", Settings.WORKER_LOCAL_DIR, localDir);
    configurationOptions.put("--state-dir", Settings.WORKER_STATE_DIR, stateDir);
    configurationOptions.put("--suid", Settings.WORKER_SUID, suid ? "true" : null);
    configurationOptions.put("--dev", Settings.WORKER_DEV, dev ? "true" : null);
    logOptions.put(configurationOptions);
    Reload reload = Reload.begin(configurationOptions.sourceOfMachine());
    Configuration configuration = reload.current();
    Enrolments enrolments = Enrolments.ofMachine();
    RunDirectory runDirectory = RunDirectory.of(System.getenv());
    WorkerDaemonOptions options = planned(configuration, enrolments, runDirectory);
    Practising practising = SuccessorTurn.await(options, Practising.beforeMount(configuration));
    new DaemonProcess(
            "worker " + options.worker(),
            runDirectory.workerSocket(options.workspace(), options.worker()),
            practising,
            MetricsPlan.options(configuration),
            reload,
            () -> {})
        .run(
            planned ->
                new OptionSavingDaemon(
                    starter.start(planned),
                    () -> WorkerPlan.remember(configuration, planned, enrolments)),
            options);
    return 0;
  }

  private static WorkerDaemonOptions planned(
      Configuration configuration, Enrolments enrolments, RunDirectory runDirectory) {
    try {
      return WorkerPlan.options(configuration, enrolments);
    } catch (UserError e) {
      SuccessorTurn.tellFailure(runDirectory, e);
      throw e;
    }
  }
}

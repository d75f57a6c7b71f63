package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.runtime.DaemonProcess;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.runtime.MetricsPlan;
import io.hypersync.cli.runtime.Practising;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.standby.StandbyDaemon;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.worker.WorkerDaemonOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync standby}: keeps all that a leader keeps, so that it can be followed. */
@Command(
    name = "standby",
    description = {
      "Follow the leader of a workspace with all that it keeps: its log, its snapshots, all content.",
      "Runs until a signal ends it. If the leader is lost: ./hypersync promote.",
      "The leader does not wait for it: what it acknowledged in its last milliseconds may be lost"
          + " with it. Named and pinned snapshots do not travel.",
      "The workspace's folder is a copy of the leader's, without its state; it has keys, so copy it"
          + " over ssh."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  rsync -a --exclude state --exclude mount main:/srv/team/ /srv/team/",
      "  ./hypersync standby --dir /srv/team --token /srv/team/tokens/spare.token",
      "  ./hypersync standby --dir /srv/team --token spare.token --leader 10.0.0.2:7890"
    })
final class StandbyCommand implements Callable<Integer> {
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--token",
      paramLabel = "<file>",
      required = true,
      description = "The token of the standby, made by ./hypersync token like that of a worker.")
  private @Nullable Path token;

  @Option(
      names = "--leader",
      paramLabel = "<host:port>",
      description = "Where the leader is, over what the token says.")
  private @Nullable String leader;

  @Override
  public Integer call() throws InterruptedException {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    workspace.closeToOthers();
    Configuration configuration = configurationOptions.read(workspace.configFile());
    EnrolmentToken enrolment = enrolment(workspace);
    WorkerDaemonOptions options =
        WorkerPlan.standby(
            configuration,
            enrolment,
            leader == null ? enrolment.leader() : address(leader),
            LeaderPlan.stateDir(workspace, configuration));
    new DaemonProcess(
            "standby " + options.worker(),
            RunDirectory.of(System.getenv()).standbySocket(options.workspace(), options.worker()),
            Practising.NOT,
            MetricsPlan.options(configuration),
            () -> {})
        .run(StandbyDaemon::start, options);
    return 0;
  }

  private EnrolmentToken enrolment(WorkspaceDirectory workspace) {
    try {
      EnrolmentToken read = EnrolmentToken.read(Objects.requireNonNull(token));
      if (!read.workspace().equals(workspace.id())) {
        throw new UserError(
            "the token is for workspace "
                + read.workspace()
                + ", and this folder is of "
                + workspace.id(),
            "Make one on the leader's host: ./hypersync token spare --dir <workspace folder>");
      }
      return read;
    } catch (PkiException e) {
      throw new UserError(
          "cannot use the token: " + e.getMessage(),
          "Make one on the leader's host: ./hypersync token spare --dir <workspace folder>");
    }
  }

  private static InetSocketAddress address(String text) {
    try {
      return HostPort.parse(text).unresolved();
    } catch (IllegalArgumentException e) {
      throw new UserError(
          "--leader: " + e.getMessage(), "Such as --leader 10.0.0.2:7890", UserError.USAGE);
    }
  }
}

package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.reload.Reload;
import io.hypersync.cli.runtime.MetricsPlan;
import io.hypersync.cli.runtime.StandbyPlan;
import io.hypersync.cli.runtime.StandbyProcess;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
      "The state of a leader that was deposed becomes that of a standby. What only that state has is"
          + " kept in its folder left-behind, and named in status.",
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
  @Mixin private final LogOptions logOptions = new LogOptions();
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
      description = "Where the leader is, or may be, over what the token says. May be repeated.")
  private List<String> leaders = new ArrayList<>();

  @Override
  public Integer call() throws InterruptedException {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    workspace.closeToOthers();
    logOptions.put(configurationOptions);
    Reload reload = Reload.begin(configurationOptions.source(workspace.configFile()));
    Configuration configuration = reload.current();
    StandbyProcess.run(
        StandbyPlan.options(
            workspace, configuration, Objects.requireNonNull(token), addresses(leaders)),
        configuration,
        MetricsPlan.options(configuration),
        reload);
    return 0;
  }

  private static List<HostPort> addresses(List<String> texts) {
    return texts.isEmpty()
        ? List.of()
        : Arguments.parse("--leader", Settings.WORKER_LEADER_ADDRESS, String.join(",", texts));
  }
}

package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.metrics.MetricsOptions;
import io.hypersync.cli.standby.StandbyDaemon;
import io.hypersync.cli.standby.SuccessorSearch;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.daemon.SnapshotsDistrusted;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a standby as this process (hypersync.md 4.1). */
public final class StandbyProcess {
  private static final Logger LOG = LoggerFactory.getLogger(StandbyProcess.class);

  /** The first time it may begin with a snapshot of a deposed leader, the second time with none. */
  private static final int MOST_BEGINNINGS = 2;

  private StandbyProcess() {}

  /**
   * Blocks until the standby has ended. One whose snapshots are of another history than its
   * leader's, as those of a leader that was deposed may be, begins once more without them.
   *
   * @param configuration says with whom it takes turns in the background
   * @param metrics where it shows them; empty for nowhere
   * @param reloading reads the configuration of the process again
   * @throws io.hypersync.runtime.admin.UserError if it cannot start, or had to end
   */
  public static void run(
      WorkerDaemonOptions options,
      Configuration configuration,
      Optional<MetricsOptions> metrics,
      Reloading reloading)
      throws InterruptedException {
    SuccessorSearch.await(options);
    for (int beginning = 1; ; beginning++) {
      try (BackgroundWork background = BackgroundWork.begin(configuration, options.workspace())) {
        new DaemonProcess(
                "standby " + options.worker(),
                RunDirectory.of(System.getenv())
                    .standbySocket(options.workspace(), options.worker()),
                Practising.NOT,
                metrics,
                reloading,
                background::end)
            .run(StandbyDaemon::start, options.withBackground(background.turns()));
        return;
      } catch (SnapshotsDistrusted e) {
        if (beginning == MOST_BEGINNINGS) {
          throw e;
        }
        LOG.warn("{}; the standby begins anew", e.message());
      }
    }
  }
}

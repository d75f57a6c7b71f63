package io.hypersync.cli.reload;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.runtime.MainHost;
import io.hypersync.cli.runtime.OptionSavingDaemon;
import io.hypersync.cli.runtime.WorkerPlan;
import io.hypersync.cli.standby.StandbyDaemon;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderTuning;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.worker.WorkerDaemon;
import java.util.function.UnaryOperator;

/** Has a daemon take up what of its configuration can change while it runs. */
final class Tuning {
  private Tuning() {}

  /**
   * Blocks until it has. A daemon of another kind has nothing to take up.
   *
   * @throws io.hypersync.runtime.admin.UserError if an agent does not answer
   */
  static void apply(Daemon daemon, Configuration before, Configuration after) {
    switch (daemon) {
      case LeaderDaemon leader -> leader.tune(leading(before, after));
      case WorkerDaemon worker -> worker.tune(WorkerPlan.tuning(after));
      case StandbyDaemon standby -> standby.tune(WorkerPlan.tuning(after));
      case MainHost both -> both.tune(leading(before, after), WorkerPlan.tuning(after));
      case OptionSavingDaemon(Daemon inner, Runnable _) -> apply(inner, before, after);
      default -> {}
    }
  }

  /** What {@code ./hypersync visibility} has set stays, unless the file says something else now. */
  private static UnaryOperator<LeaderTuning> leading(Configuration before, Configuration after) {
    return now ->
        LeaderPlan.tuning(
            after,
            before.agrees(after, Settings.LEADER_VISIBILITY)
                ? now.visibility()
                : after.get(Settings.LEADER_VISIBILITY),
            now.collections().options());
  }
}

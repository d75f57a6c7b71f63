package io.hypersync.cli.reload;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Setting;
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
import java.util.Set;
import java.util.function.UnaryOperator;

/** Has a daemon take up what of its configuration can change while it runs. */
final class Tuning {
  private Tuning() {}

  /**
   * Blocks until it has. A daemon of another kind has nothing to take up.
   *
   * @param unknown what may have another value there than before
   * @throws io.hypersync.runtime.admin.UserError if an agent does not answer
   */
  static void apply(
      Daemon daemon, Configuration before, Configuration after, Set<Setting<?>> unknown) {
    boolean keepsVisibility =
        before.agrees(after, Settings.LEADER_VISIBILITY)
            && !unknown.contains(Settings.LEADER_VISIBILITY);
    switch (daemon) {
      case LeaderDaemon leader -> leader.tune(leading(after, keepsVisibility));
      case WorkerDaemon worker -> worker.tune(WorkerPlan.tuning(after));
      case StandbyDaemon standby -> standby.tune(WorkerPlan.tuning(after));
      case MainHost both -> both.tune(leading(after, keepsVisibility), WorkerPlan.tuning(after));
      case OptionSavingDaemon(Daemon inner, Runnable _) -> apply(inner, before, after, unknown);
      default -> {}
    }
  }

  /** What {@code ./hypersync visibility} has set stays, unless the file says something else now. */
  private static UnaryOperator<LeaderTuning> leading(Configuration after, boolean keepsVisibility) {
    return now ->
        LeaderPlan.tuning(
            after,
            keepsVisibility ? now.visibility() : after.get(Settings.LEADER_VISIBILITY),
            now.collections().options());
  }
}

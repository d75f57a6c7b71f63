package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.runtime.admin.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What daemons find out about a configuration that is valid by itself: files that it names, and
 * addresses. Makes nothing.
 */
public final class PlanChecks {
  private PlanChecks() {}

  /** Returns what would keep a daemon from starting; empty if nothing is known that would. */
  public static List<UserError> errors(Configuration configuration) {
    List<UserError> errors = new ArrayList<>();
    List<Consumer<Configuration>> checks =
        List.of(MetricsPlan::options, LeaderPlan::check, AgentMailPlan::check);
    for (Consumer<Configuration> check : checks) {
      try {
        check.accept(configuration);
      } catch (UserError e) {
        errors.add(e);
      }
    }
    return errors;
  }
}

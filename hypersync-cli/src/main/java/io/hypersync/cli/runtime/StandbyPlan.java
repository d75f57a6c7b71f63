package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.worker.WorkerDaemonOptions;
import java.nio.file.Path;
import java.util.List;

/** Turns a workspace's folder and a token into the options of a standby. */
public final class StandbyPlan {
  private static final String MAKE_ONE =
      "Make one on the leader's host: ./hypersync token spare --dir <workspace folder>";

  private StandbyPlan() {}

  /**
   * Returns the options.
   *
   * @param token the file with the standby's enrolment
   * @param leaders where its leader is, or may be; those of the token if empty
   * @throws UserError if the token is of another workspace, or something is in the way
   */
  public static WorkerDaemonOptions options(
      WorkspaceDirectory workspace,
      Configuration configuration,
      Path token,
      List<HostPort> leaders) {
    return WorkerPlan.standby(
        configuration,
        enrolment(workspace, token),
        leaders,
        LeaderPlan.stateDir(workspace, configuration));
  }

  private static EnrolmentToken enrolment(WorkspaceDirectory workspace, Path token) {
    try {
      EnrolmentToken read = EnrolmentToken.read(token);
      if (!read.workspace().equals(workspace.id())) {
        throw new UserError(
            "the token is for workspace "
                + read.workspace()
                + ", and this folder is of "
                + workspace.id(),
            MAKE_ONE);
      }
      return read;
    } catch (PkiException e) {
      throw new UserError("cannot use the token: " + e.getMessage(), MAKE_ONE);
    }
  }
}

package io.hypersync.cli.runtime;

import io.hypersync.leader.daemon.leadership.ClaimFile;
import io.hypersync.leader.daemon.leadership.ProcProcesses;
import io.hypersync.leader.leadership.ClaimException;
import io.hypersync.leader.leadership.Instance;
import io.hypersync.leader.leadership.Leadership;
import io.hypersync.leader.leadership.Leadership.Phase;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How this process claims a workspace on this host. */
final class Claims {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final int RANDOM_BYTES = 8;

  private final RunDirectory run;
  private final WorkspaceId workspace;
  private final String instance;
  private final long pid = ProcessHandle.current().pid();

  /**
   * Claims by the name that the environment gives this process, as it is; else by a new one.
   *
   * @throws UserError if that name cannot be written into a claim
   */
  Claims(RunDirectory run, WorkspaceId workspace, Map<String, String> environment) {
    this.run = run;
    this.workspace = workspace;
    String given = environment.getOrDefault(Instance.VARIABLE, "");
    this.instance = given.isEmpty() ? minted() : given;
    if (!Instance.isValid(instance)) {
      throw new UserError(
          Instance.VARIABLE + " is no name for a process: " + Printable.line(instance),
          "It has 1 to "
              + Instance.MAX_CHARACTERS
              + " printable ASCII characters, and no other process has the same. Without it a name"
              + " is made.",
          UserError.USAGE);
    }
  }

  private String minted() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return pid + "-" + HexFormat.of().formatHex(random);
  }

  /**
   * Takes the claim if nobody has it; else observes.
   *
   * @param given whether this process has just given the claim away: others may take it first
   * @throws UserError if the claim file cannot be used: who cannot tell who leads does not lead
   */
  Leadership begin(boolean given) {
    ClaimFile file = new ClaimFile(run.claim(workspace));
    long notBefore = Clock.SYSTEM.monotonicNs() + (given ? 2 * Leadership.REFRESH_NS : 0);
    Leadership leadership =
        new Leadership(instance, pid, file, new ProcProcesses(), Clock.SYSTEM, notBefore);
    Phase phase = leadership.refresh();
    String problem = leadership.view().problem();
    if (phase == Phase.OBSERVING && !problem.isEmpty() && !given) {
      throw new UserError(
          problem,
          "Without it nobody can tell whether another process leads, so this one does not."
              + " HYPERSYNC_RUN_DIR sets its folder.");
    }
    return leadership;
  }

  /** Empties the claim file if the claim in it is this process's. */
  static void release(Leadership leadership) {
    try {
      leadership.release();
    } catch (ClaimException e) {
      LOG.warn("the claim stays behind until another process takes it: {}", e.message());
    }
  }
}

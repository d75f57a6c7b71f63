package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.cli.render.StatusReport;
import java.nio.file.Path;

/**
 * Implements {@code status}, for the picocli command and for {@code FastStatus} (hypersync.md 16,
 * 16.1).
 */
public final class StatusQuery {
  private StatusQuery() {}

  /**
   * Asks the daemons and shows their answers, and mounts whose worker is dead.
   *
   * @return the exit code: 1 if no daemon answers
   */
  public static int run(Daemons daemons, Output output) {
    ObjectNode status = daemons.status();
    ArrayNode deadMounts = status.putArray("dead_mounts");
    for (Path mount : Mounts.all()) {
      if (Mounts.probe(mount) == Mounts.Health.DEAD) {
        deadMounts.add(mount.toString());
      }
    }
    boolean none = status.path("leaders").isEmpty() && status.path("workers").isEmpty();
    output.show(
        status,
        () ->
            (none
                    ? "No HyperSync daemon runs on this machine (looked in "
                        + daemons.searched()
                        + ").\n"
                    : "")
                + StatusReport.render(status));
    return none ? 1 : 0;
  }
}

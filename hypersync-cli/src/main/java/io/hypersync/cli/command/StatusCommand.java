package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.cli.render.StatusReport;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hypersync status} (hypersync.md 16, 16.1). */
@Command(
    name = "status",
    description = {
      "Show every leader and worker on this machine: how far each is, whether it can write, its"
          + " root.",
      "Exits with 1 if no daemon answers."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync status",
      "  ./hypersync status --json | jq '.workers[].applied_index'",
      "  watch -n 1 ./hypersync status"
    })
final class StatusCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Override
  public Integer call() {
    Daemons daemons = selection.daemons();
    ObjectNode status = daemons.status();
    ArrayNode deadMounts = status.putArray("dead_mounts");
    for (Path mount : Mounts.all()) {
      if (Mounts.probe(mount) == Mounts.Health.DEAD) {
        deadMounts.add(mount.toString());
      }
    }
    boolean none = status.path("leaders").isEmpty() && status.path("workers").isEmpty();
    screen.show(
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

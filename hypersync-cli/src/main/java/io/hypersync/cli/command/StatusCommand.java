package io.hypersync.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hypersync status}: shows the daemons of this machine (hypersync.md 16, 16.1). */
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
    return StatusQuery.run(selection.daemons(), screen.output());
  }
}

package io.hypersync.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hypersync worker restart}: has another process go on with a mount (decision 053). */
@Command(
    name = "restart",
    description = {
      "Have another process of the same command go on with a mount.",
      "Programs in the mount see a pause, and nothing else: what is open stays open, locks are held on.",
      "If the other process fails its checks, the worker goes on, and this command says why.",
      "Needs takeover_timeout in [hypersync.worker], and Linux 6.9."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync worker restart",
      "  ./hypersync worker restart --mount /ntmfs/ws/team --json"
    })
final class WorkerRestartCommand implements Callable<Integer> {
  @Mixin private final WorkerHandOver handOver = new WorkerHandOver();

  @Override
  public Integer call() {
    return handOver.run("");
  }
}

package io.hypersync.cli.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code hypersync worker upgrade}: has a process of another build go on with a mount (decision
 * 053).
 */
@Command(
    name = "upgrade",
    description = {
      "Have a process of another build go on with a mount.",
      "Programs in the mount see a pause, and nothing else: what is open stays open, locks are held on.",
      "If the other process fails its checks, the worker goes on, and this command says why.",
      "Needs takeover_timeout in [hypersync.worker], and Linux 6.9."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {"  ./hypersync worker upgrade /opt/hypersync-2/hypersync"})
final class WorkerUpgradeCommand implements Callable<Integer> {
  @Mixin private final WorkerHandOver handOver = new WorkerHandOver();

  @Parameters(
      paramLabel = "<launcher>",
      description = "The hypersync script of the other build, which must be built.")
  private Path launcher = Path.of("");

  @Override
  public Integer call() {
    return handOver.run(launcher.toAbsolutePath().toString());
  }
}

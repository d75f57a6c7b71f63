package io.hypersync.cli.command;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.past.PastView;
import io.hypersync.worker.fuse.dev.ProcessSignals;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync at}: runs a command on a state of the past, while everybody else goes on. */
@Command(
    name = "at",
    description = {
      "Run a command in the workspace as it was, read-only, while the others go on.",
      "",
      "The state is mounted in a temporary folder. The command runs in the same directory of it as"
          + " this one was called in, or in its root, and sees the entry's index in $HYPERSYNC_AT. Its"
          + " exit code is that of this command. When it has ended, or this one is ended by a signal,"
          + " the folder is taken away."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync at 10m -- grep -rn TODO src",
      "  ./hypersync at 48213 -- make -C src test O=/tmp/out",
      "  ./hypersync at before-the-rewrite --mount /ntmfs/ws/team -- diff -r src /ntmfs/ws/team/src",
      "  ./hypersync at 2h -- bash"
    })
final class AtCommand implements Callable<Integer> {
  @Mixin private final PastWorker past = new PastWorker();

  @Parameters(
      index = "0",
      paramLabel = "<state>",
      description =
          "Which state: a snapshot's name, the index of its last entry (./hypersync log), a time"
              + " (2026-01-31T09:00:00Z), how long ago it was (90s, 10m, 2h, 3d), or head: the newest one"
              + " of now.")
  private String state = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "<command>",
      description = "What to run, after --.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    Path here = Path.of("").toAbsolutePath();
    Daemons.Living worker = past.worker(here);
    try (PastView view = PastView.mount(worker, state)) {
      return view.run(command, view.like(here), false, ProcessSignals::leaveInterruptsToChildren);
    }
  }
}

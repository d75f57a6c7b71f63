package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.cli.profile.ProfileSession;
import io.hypersync.cli.profile.ProfileTree;
import io.hypersync.cli.profile.TracedCommand;
import io.hypersync.cli.render.ProfileReport;
import io.hypersync.runtime.admin.UserError;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code hypersync profile}: runs a command and reports what it does with a mount (hypersync.md 17,
 * Phase 0).
 */
@Command(
    name = "profile",
    description = {
      "Run a command and report what it does with a workspace: requests, changes and how large"
          + " writes are, syncs and renames, the hottest paths and which of them should be local,"
          + " and where the time of a change goes.",
      "Everything that happens on the mount meanwhile is counted, whoever does it. Exits as the"
          + " command does, or with 1 if there is no report."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync profile /ntmfs/ws/team -- make -C /ntmfs/ws/team test",
      "  ./hypersync profile --syscalls /ntmfs/ws/team -- git -C /ntmfs/ws/team status",
      "  ./hypersync profile --json /ntmfs/ws/team -- sh -c 'cd /ntmfs/ws/team && ./build' > report"
    })
final class ProfileCommand implements Callable<Integer> {
  /** How many paths are reported; hypersync.md 17.1(2). */
  private static final int TOP_PATHS = 1_000;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--syscalls",
      description =
          "Count the command's system calls, too. Needs strace, and makes the command slower.")
  private boolean syscalls;

  @Parameters(
      index = "0",
      paramLabel = "<mount>",
      description = "The workspace, or anything in it.")
  private Path mount = Path.of("");

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "<command>",
      description = "What to run, after --.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    if (syscalls && !TracedCommand.hasStrace()) {
      throw new UserError(
          "--syscalls needs strace, which is not installed",
          "Install it (for example: apt-get install strace), or leave --syscalls out.");
    }
    Daemons daemons = selection.daemons();
    Daemons.Living worker = MountedWorkers.of(daemons, Optional.of(mount)).getFirst();
    OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
    double loadBefore = machine.getSystemLoadAverage();
    ProfileSession session =
        new ProfileSession(worker.socket(), daemons.leaderOf(worker).map(Daemons.Living::socket));
    TracedCommand.Ended ended;
    try {
      ended = TracedCommand.run(command, MountedWorkers.mount(worker), syscalls, screen.isJson());
    } catch (UserError cannotRun) {
      session.giveUp();
      throw cannotRun;
    }
    ObjectNode report;
    try {
      report = session.end(TOP_PATHS);
    } catch (UserError failure) {
      throw new UserError(
          "there is no report: "
              + failure.message()
              + ("; the command ended with " + ended.exitCode()),
          failure.hint());
    }
    ArrayNode words = report.putArray("command");
    command.forEach(words::add);
    report.set("worker_id", worker.status().path("worker_id"));
    report.set("mount", worker.status().path("mount"));
    report.put("cpus", machine.getAvailableProcessors());
    report.put("load_1m_before", loadBefore);
    report.put("load_1m_after", machine.getSystemLoadAverage());
    ProfileTree.complete(report, ended);
    screen.show(report, () -> ProfileReport.render(report));
    return ended.exitCode();
  }
}

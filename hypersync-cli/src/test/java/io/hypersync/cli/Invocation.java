package io.hypersync.cli;

import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.worker.WorkerDaemonOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * One run of the command line in this process, and its outcome.
 *
 * @param exitCode that the process would have
 * @param out standard output
 * @param err standard error
 */
public record Invocation(int exitCode, String out, String err) {

  /** Runs a command that starts no daemon. */
  public static Invocation of(String... args) {
    return with(Invocation::noDaemon, Invocation::noDaemon, args);
  }

  /** Runs a command with the test's own daemons. */
  public static Invocation with(
      DaemonStarter<LeaderDaemonOptions> leader,
      DaemonStarter<WorkerDaemonOptions> worker,
      String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Main.commandLine(args.length == 0 ? "" : args[0], leader, worker)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int exitCode = commandLine.execute(args);
    return new Invocation(exitCode, out.toString(), err.toString());
  }

  /** Starts the leader of a workspace, which must refuse. */
  public static Invocation ofLeaderThatMustNotStart(Path workspace) {
    return with(
        options -> {
          LeaderDaemon.start(options).close();
          throw new AssertionError("a leader has started");
        },
        Invocation::noDaemon,
        "leader",
        "--dir",
        workspace.toString(),
        "--set",
        "hypersync.leader.bind_address=127.0.0.1:0");
  }

  private static Daemon noDaemon(Object options) {
    throw new AssertionError("a daemon would have been started with " + options);
  }
}
